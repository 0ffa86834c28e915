// gRPC-Web in base64 (application/grpc-web-text).
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import {
  DownloadDocumentRequestSchema,
  DownloadDocumentResponseSchema,
  UploadDocumentRequestSchema,
  UploadDocumentResponseSchema,
} from '../../gen/latchkey/sharing/v1/document_pb.js';
import { frame } from '../support/connect-frames.ts';
import { startTestApp } from '../support/harness.ts';
import { itHoldsFor } from '../support/rule.ts';
import { useStarted } from '../support/use-started.ts';

const test = useStarted(() => startTestApp());

const service = '/latchkey.sharing.v1.DocumentService';
const type = 'application/grpc-web-text+proto';
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

async function post(method: string, body: string, contentType = type) {
  const answer = await fetch(`${test.app.publicUrl}${service}/${method}`, {
    method: 'POST',
    headers: { 'content-type': contentType, authorization: `Bearer ${test.env.API_KEY}` },
    body,
  });
  return { type: answer.headers.get('content-type'), ...framesIn(await answer.text()) };
}

/** Reads base64 with padding inside, message by message. */
function framesIn(text: string) {
  const parts = text.match(/[^=]+=*/g) ?? [];
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part, 'base64')));
  const messages: Buffer[] = [];
  let trailer = '';
  for (let at = 0; at < bytes.length; ) {
    const end = at + 5 + bytes.readUInt32BE(at + 1);
    const data = bytes.subarray(at + 5, end);
    if ((bytes.readUInt8(at) & 0x80) === 0) messages.push(data);
    else trailer = data.toString();
    at = end;
  }
  return { messages, status: /grpc-status: ?(\d+)/.exec(trailer)?.[1], trailer };
}

const piece = (fields: object) =>
  frame(toBinary(UploadDocumentRequestSchema, create(UploadDocumentRequestSchema, fields)));

describe('gRPC-Web in base64', () => {
  const pieces = [{ name: 'a.txt' }, { file: Buffer.from('1') }, { file: Buffer.from('234') }];

  itHoldsFor([
    ['with padding after each message', pieces.map((one) => base64(piece(one))).join('')],
    ['with padding at the end', base64(Buffer.concat(pieces.map(piece)))],
  ])('uploads with each padding, and downloads', async (_, body) => {
    const upload = await post('UploadDocument', body);
    expect([upload.type, upload.status]).toEqual([type, '0']);
    const [message = Buffer.alloc(0)] = upload.messages;
    const { document } = fromBinary(UploadDocumentResponseSchema, message);
    expect(document).toMatchObject({ name: 'a.txt', sizeBytes: 4 });
    const request = create(DownloadDocumentRequestSchema, { documentId: document?.id ?? '' });
    const encoded = base64(frame(toBinary(DownloadDocumentRequestSchema, request)));
    const download = await post('DownloadDocument', encoded);
    const content = download.messages.map((one) => fromBinary(DownloadDocumentResponseSchema, one));
    const chunks = content.flatMap(({ part }) => (part.case === 'chunk' ? [part.value] : []));
    expect(Buffer.concat(chunks).toString()).toBe('1234');
    expect(download.status).toBe('0');
  });

  itHoldsFor([
    ['is not base64', '!!!!'],
    ['has padding in the middle of four characters', 'A=AA'],
    ['ends within four characters', base64(piece({ name: 'a.txt' })).slice(0, -1)],
  ])('refuses a body that is malformed', async (_, body) => {
    const { status, trailer } = await post('UploadDocument', body);
    expect([status, trailer]).toEqual(['3', expect.stringContaining('base64')]);
  });

  it('refuses a message over the limit', async () => {
    const large = { documentId: 'x'.repeat(300_000) };
    const request = create(DownloadDocumentRequestSchema, large);
    const body = base64(frame(toBinary(DownloadDocumentRequestSchema, request)));
    expect((await post('DownloadDocument', body)).status).toBe('8');
  });
});
