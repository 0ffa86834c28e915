import { stat } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { startTestApp } from '../support/harness.ts';
import { closedPort } from '../support/smtp.ts';

it('an app without an SMTP server has an outbox that only its owner can open', async () => {
  const test = await startTestApp();
  const { mode } = await stat(path.join(test.dataDir, 'outbox'));
  await test.remove();
  expect(mode & 0o777).toBe(0o700);
});

it('an app starts and becomes ready while its SMTP server is down', async () => {
  const server = { host: '127.0.0.1', port: closedPort };
  const smtp = { ...server, encryption: 'local', login: undefined } as const;
  const test = await startTestApp({ config: { smtp } });
  const response = await fetch(`${test.app.opsUrl}/readyz`);
  const outbox = await stat(path.join(test.dataDir, 'outbox')).catch(() => undefined);
  await test.remove();
  expect(response.status).toBe(200);
  expect(outbox).toBeUndefined();
});
