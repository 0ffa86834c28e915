// Downloads share their buffers. Every reader must receive its own bytes, whatever its speed.
import { randomBytes } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { startTestApp } from '../support/harness.ts';
import { keyOf, sha256, upload } from '../support/sharing-api.ts';

const request = (url: string, headers: Record<string, string>) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers, agent: false }, resolve).once('error', reject);
  });

it('concurrent downloads never mix their bytes', async () => {
  const test = await startTestApp();
  onTestFinished(() => test.remove());
  const files = [1, 70_000, 300_000, 1_500_000, 5_000_000].map((size) => randomBytes(size));
  const documents = await Promise.all(files.map((file) => upload(test, file)));

  async function read(number: number): Promise<void> {
    const index = number % files.length;
    const file = files[index] ?? Buffer.alloc(0);
    const url = `${test.app.publicUrl}/api/v1/documents/${documents[index]?.id}/file`;
    const from = number % 3 === 0 ? 0 : Math.floor(file.length / (number % 7 || 1) / 2);
    const range = from === 0 ? {} : { range: `bytes=${from}-` };
    const response = await request(url, { ...keyOf(test), ...range });
    const parts: Buffer[] = [];
    for await (const part of response as AsyncIterable<Buffer>) {
      parts.push(part);
      if (number % 4 === 1) await sleep(1);
      // Some readers go away.
      if (number % 5 === 4 && parts.length === 3) return;
    }
    expect(sha256(Buffer.concat(parts)), `${number}`).toBe(sha256(file.subarray(from)));
  }
  for (let round = 0; round < 4; round++) {
    await Promise.all(Array.from({ length: 35 }, (_, i) => read(round * 35 + i)));
  }
});
