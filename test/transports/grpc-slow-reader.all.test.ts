// A large download over gRPC whose client does not read.
import { Client, credentials } from '@grpc/grpc-js';
import { expect, onTestFinished, test } from 'vitest';
import { openDownload, uploadPieces } from '../support/grpc-streams.ts';
import { startTestApp } from '../support/harness.ts';
import { bearer } from '../support/sharing-api.ts';

test('a download waits for its client, and does not buffer the document in memory', async () => {
  // Larger than the uncollected garbage, which is part of the measured memory.
  const size = 96 * 1024 * 1024;
  const app = await startTestApp({ config: { uploadBytesMax: size } });
  onTestFinished(() => app.remove());
  const client = new Client(app.app.grpcAddress, credentials.createInsecure());
  onTestFinished(() => client.close());
  const key = bearer(app.env.API_KEY);
  const piece = Buffer.alloc(1024 * 1024, 'x');
  const id = await uploadPieces(
    client,
    key,
    Array.from({ length: 96 }, () => piece),
  );
  const before = process.memoryUsage().arrayBuffers;

  const stream = openDownload(client, key, id);
  await new Promise((resolve) => stream.once('data', resolve));
  stream.pause();
  // The server has stopped reading once two measurements are the same.
  let buffered = -1;
  await expect
    .poll(
      () => {
        const last = buffered;
        buffered = process.memoryUsage().arrayBuffers - before;
        return Math.abs(buffered - last) < 64 * 1024;
      },
      { interval: 200, timeout: 30_000 },
    )
    .toBe(true);
  expect(buffered).toBeLessThan(size / 4);

  let received = 0;
  for await (const { part } of stream) {
    if (part.case === 'chunk') received += part.value.length;
  }
  expect(received).toBe(size);
});
