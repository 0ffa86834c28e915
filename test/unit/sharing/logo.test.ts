import { create } from '@bufbuild/protobuf';
import { expect, it } from 'vitest';
import { PutWorkspaceLogoRequestSchema } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { startLogoUpload } from '../../../src/sharing/brand/logo.ts';
import { makePng } from '../../support/sharing-api.ts';

const message = (file: Uint8Array, workspaceId = '') =>
  create(PutWorkspaceLogoRequestSchema, { file, workspaceId });

async function* messagesOf(files: Iterable<Uint8Array>) {
  yield message(Buffer.alloc(0), 'ws_1');
  for (const file of files) yield message(file);
}

const read = async (files: Iterable<Uint8Array>) =>
  (await startLogoUpload(messagesOf(files))).read();

it('an upload with endless empty messages is refused', async () => {
  let sent = 0;
  function* empty() {
    while (sent < 100_000) {
      sent++;
      yield Buffer.alloc(0);
    }
  }
  await expect(read(empty())).rejects.toMatchObject({
    message: expect.stringContaining('must be sent in at most 10000 messages'),
  });
  expect(sent).toBe(10_000);
});

it('an upload with some empty messages is accepted', async () => {
  const png = makePng(2, 2);
  const empty = Buffer.alloc(0);
  const logo = await read([empty, png.subarray(0, 9), empty, png.subarray(9), empty]);
  expect(logo.contentType).toBe('image/png');
  expect(png.equals(logo.bytes)).toBe(true);
});

it('an upload does not keep its messages in memory', async () => {
  // Each chunk is a part of a larger message.
  const whole = Buffer.alloc(1_000);
  const png = makePng(2, 2);
  png.copy(whole);
  async function* reused() {
    yield message(Buffer.alloc(0), 'ws_1');
    yield message(whole.subarray(0, png.length));
    whole.fill(0);
  }
  const logo = await (await startLogoUpload(reused())).read();
  expect(png.equals(logo.bytes)).toBe(true);
});
