// A request removes its listeners from its connection when it ends.
import { Agent, request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { startTestApp } from '../support/harness.ts';
import { multipartBody } from '../support/raw-http.ts';
import { keyOf } from '../support/sharing-api.ts';

test('twenty uploads on one connection leave no listeners on it', async () => {
  const app = await startTestApp();
  onTestFinished(() => app.remove());
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const warnings: Error[] = [];
  const note = (warning: Error) => {
    if (warning.name === 'MaxListenersExceededWarning') warnings.push(warning);
  };
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const form = multipartBody([{ name: 'file', filename: 'a.txt', body: Buffer.from('a') }], 'x');

  for (let i = 0; i < 20; i++) {
    const status = await new Promise((resolve, reject) => {
      const headers = { ...keyOf(app), 'content-type': 'multipart/form-data; boundary=x' };
      const url = `${app.app.publicUrl}/api/v1/documents`;
      const call = request(url, { method: 'POST', agent, headers }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode));
      });
      call.once('error', reject).end(form);
    });
    expect(status).toBe(201);
  }

  await new Promise((resolve) => setImmediate(resolve));
  expect(warnings.map(({ message }) => message)).toEqual([]);
});
