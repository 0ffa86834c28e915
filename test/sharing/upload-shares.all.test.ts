// Simultaneous uploads of several workspaces share the upload slots fairly.
import type { Client } from '@grpc/grpc-js';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import {
  grpcClients,
  openStreamTransports,
  startGrpcUpload,
  untilFinished,
} from '../support/document-streams.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { addWorkspace } from '../support/owner-rows.ts';
import { bearer, blobDirOf, filesUnder, keyOf } from '../support/sharing-api.ts';

let test: TestApp;
let clients: Client[];
beforeEach(async () => {
  test = await startTestApp({ uploadStalledMs: 600_000 });
  clients = grpcClients(test.app.grpcAddress, 3);
});
afterEach(async () => {
  for (const client of clients) client.close();
  await test.remove();
});

/** Starts uploads that send some bytes and then stall. */
function trickle(count: number, credential: Record<string, string>) {
  const uploads = clients.flatMap((client, i) =>
    Array.from({ length: count / clients.length }, (_, j) => {
      const upload = startGrpcUpload(client, credential);
      upload.call.on('error', () => {});
      upload.call.write({ file: Buffer.from(`upload ${i} ${j}`) });
      return upload;
    }),
  );
  onTestFinished(() => {
    for (const { call } of uploads) call.cancel();
  });
  return uploads;
}

async function addKey(): Promise<Record<string, string>> {
  const { text } = await addWorkspace(test.app.inside.db, 'documents:read documents:write');
  return bearer(text);
}

const underWay = async () => (await filesUnder(blobDirOf(test))).length;

it('hundreds of slow uploads in a workspace do not block uploads in other workspaces', async () => {
  const slow = trickle(300, keyOf(test));
  const refused = Promise.all(slow.slice(0, 300).map(({ answer }) => answer));
  void refused;
  await expect.poll(underWay).toBeGreaterThanOrEqual(128);
  const other = await addKey();

  for (const transport of untilFinished(openStreamTransports(test.app))) {
    const answer = await transport.upload([{ file: Buffer.from('mine') }], other);
    expect(answer, transport.name).toMatchObject({ ok: true });
  }
});
