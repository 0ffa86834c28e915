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

const refused = async (bytes: Uint8Array) =>
  expect(read([bytes])).rejects.toMatchObject({ code: 'invalid_argument' });

it('a WebP file is read only as WebP', async () => {
  await refused(Buffer.from('RIFF\0\0\0\0WEBPXXXX<svg width="10" height="10"></svg>', 'latin1'));
});

it('a cut PNG is refused, whatever is behind it in memory', async () => {
  const png = makePng(2, 2);
  for (const length of [12, 16, 20, 23]) await refused(png.subarray(0, length));
});

/** A segment of a JPEG file (ITU-T T.81, annex B), after fill bytes. */
function segment(marker: number, data: Uint8Array, fill = 0): Buffer {
  const head = Buffer.alloc(fill + 4, 0xff);
  head[fill + 1] = marker;
  head.writeUInt16BE(data.length + 2, fill + 2);
  return Buffer.concat([head, data]);
}

function frame(size: number, marker = 0xc0): Buffer {
  const data = Buffer.from([8, 0, 0, 0, 0, 1, 1, 0x11, 0]);
  data.writeUInt16BE(size, 1);
  data.writeUInt16BE(size, 3);
  return segment(marker, data);
}

const jpeg = (...segments: Uint8Array[]) => Buffer.concat([Buffer.from([0xff, 0xd8]), ...segments]);

it('the size of a JPEG file is read from its frame alone', async () => {
  const comment = 0xfe;
  const tables = segment(0xdb, Buffer.alloc(65));
  const scan = segment(0xda, Buffer.alloc(8));
  const accepted = [
    jpeg(tables, frame(10), scan),
    jpeg(tables, segment(comment, frame(9_000), 3), frame(2_000, 0xc2), scan),
  ];
  for (const bytes of accepted) expect((await read([bytes])).contentType).toBe('image/jpeg');

  // A parser that takes the fill byte for a marker continues here.
  const disguised = Buffer.alloc(65_533);
  frame(10).copy(disguised, 65_276);
  const large = [
    jpeg(tables, frame(2_001), scan),
    jpeg(tables, segment(comment, frame(10)), frame(9_000), scan),
    jpeg(tables, segment(comment, disguised, 1), frame(9_000), scan),
  ];
  for (const bytes of large) {
    await expect(read([bytes])).rejects.toMatchObject({
      message: expect.stringContaining('at most 2000 pixels'),
    });
  }

  const ambiguous = [
    jpeg(tables, frame(10), frame(9_000), scan),
    jpeg(tables, Buffer.from([0]), frame(10), scan),
    jpeg(tables, scan, frame(10)),
    jpeg(tables, frame(10)),
    jpeg(tables, frame(10), segment(0xd8, Buffer.alloc(0)), scan),
    jpeg(tables, frame(10).subarray(0, 6)),
  ];
  for (const bytes of ambiguous) await refused(bytes);
});
