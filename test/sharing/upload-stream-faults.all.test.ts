import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { Client, credentials } from '@grpc/grpc-js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DocumentService } from '../../gen/latchkey/sharing/v1/document_pb.js';
import { openStreamTransports, type Piece, startGrpcUpload } from '../support/document-streams.ts';
import { faultyUploads } from '../support/faulty-uploads.ts';
import { itHoldsFor } from '../support/rule.ts';
import { blobDirOf, callSharingApi, filesUnder, keyOf } from '../support/sharing-api.ts';

const { app } = faultyUploads();

describe('an upload as a stream of messages', () => {
  const chunk = Buffer.alloc(50_000, 'a');
  const { invalid, tooLarge } = { invalid: 'invalid_argument', tooLarge: 'payload_too_large' };
  const sizes: [what: string, pieces: Piece[], code: string, fields: string[]][] = [
    ['a size over the limit', [{ sizeBytes: 300_000n }, { file: chunk }], tooLarge, []],
    ['a size over 2^53', [{ sizeBytes: 2n ** 64n - 1n }, { file: chunk }], tooLarge, []],
    ['a size below its own', [{ sizeBytes: 1n }, { file: chunk }], invalid, ['size_bytes']],
    ['a size above its own', [{ sizeBytes: 50_001n }, { file: chunk }], invalid, ['size_bytes']],
    [
      'two sizes',
      [{ sizeBytes: 50_000n }, { file: chunk }, { sizeBytes: 50_000n }],
      invalid,
      ['size_bytes'],
    ],
  ];
  itHoldsFor(sizes, 5)(
    'with a wrong size is refused as a form, too',
    async (_, pieces, code, fields) => {
      const [transport] = openStreamTransports(app().app);
      const answer = await transport?.upload(pieces, keyOf(app()));
      expect(answer).toMatchObject({ ok: false, error: { code, fields } });
    },
  );

  it('with the size of its file is stored', async () => {
    let count = 0;
    for (const transport of openStreamTransports(app().app)) {
      const pieces = [{ sizeBytes: 50_000n, fileName: 'a' }, { file: chunk }];
      const answer = await transport.upload(pieces, keyOf(app()));
      transport.close();
      if (!answer.ok) throw new Error(`${transport.name}: ${answer.error.code}`);
      expect(answer.message.sizeBytes).toBe(50_000);
      await callSharingApi(app(), 'DELETE', `/documents/${answer.message.id}`);
      count += 1;
    }
    expect(count).toBe(3);
  });

  it('with a size over the limit is refused before the file is sent', async () => {
    const { call, answer } = startUpload();
    call.write({ sizeBytes: 300_000n });

    expect(await answer).toMatchObject({ ok: false, error: { code: 'payload_too_large' } });
    call.cancel();
  });

  const streams: [what: string, pieces: Piece[], code: string, fields: string[]][] = [
    ['nothing', [], 'invalid_argument', ['file']],
    ['only empty messages', [{}, {}], 'invalid_argument', ['file']],
    ['a name only', [{ name: 'a' }], 'invalid_argument', ['file']],
    ['two names', [{ name: 'a' }, { file: chunk }, { name: 'a' }], 'invalid_argument', ['name']],
    [
      'two file names',
      [{ fileName: 'a' }, { file: chunk }, { fileName: 'b' }],
      'invalid_argument',
      ['file_name'],
    ],
    ['a piece over 1 MiB', [{ file: Buffer.alloc(1_048_577) }], 'invalid_argument', ['file']],
    [
      'more than the limit',
      Array.from({ length: 5 }, () => ({ file: chunk })),
      'payload_too_large',
      [],
    ],
    ...sizes,
  ];
  itHoldsFor(streams, 12)(
    'of wrong messages is refused and leaves nothing behind',
    async (_, pieces, code, fields) => {
      const transports = openStreamTransports(app().app).filter(({ name }) => name !== 'http');
      for (const transport of transports) {
        const answer = await transport.upload(pieces, keyOf(app()));
        transport.close();
        expect(answer, transport.name).toMatchObject({ ok: false, error: { code, fields } });
      }
    },
  );

  function startUpload() {
    const client = new Client(app().app.grpcAddress, credentials.createInsecure());
    onTestFinished(() => client.close());
    return startGrpcUpload(client, keyOf(app()));
  }

  it('that is cancelled leaves nothing behind', async () => {
    const { call, answer } = startUpload();
    call.write({ file: chunk });
    await expect.poll(() => filesUnder(blobDirOf(app()))).not.toEqual([]);

    call.cancel();

    expect(await answer).toMatchObject({ ok: false, error: { grpc: 1 } });
  });

  it('that is cancelled over Connect leaves nothing behind', async () => {
    const transport = createConnectTransport({ baseUrl: app().app.publicUrl, httpVersion: '1.1' });
    const client = createClient(DocumentService, transport);
    const abort = new AbortController();
    async function* requests() {
      yield { file: chunk };
      await expect.poll(() => filesUnder(blobDirOf(app()))).not.toEqual([]);
      abort.abort();
    }

    const options = { headers: keyOf(app()), signal: abort.signal };
    await expect(client.uploadDocument(requests(), options)).rejects.toMatchObject({ code: 1 });
  });

  it('whose client disconnects leaves nothing behind', async () => {
    const client = new Client(app().app.grpcAddress, credentials.createInsecure());
    const { call, answer } = startGrpcUpload(client, keyOf(app()));
    call.write({ file: chunk });
    await expect.poll(() => filesUnder(blobDirOf(app()))).not.toEqual([]);

    client.getChannel().close();
    call.cancel();

    expect(await answer).toMatchObject({ ok: false });
  });

  it('over the limit is refused while it is being sent', async () => {
    const { call, answer } = startUpload();
    for (let i = 0; i < 5; i++) call.write({ file: chunk });

    expect(await answer).toMatchObject({ ok: false, error: { code: 'payload_too_large' } });
    call.cancel();
  });

  it('without a credential is refused before any data is sent', async () => {
    const client = new Client(app().app.grpcAddress, credentials.createInsecure());
    onTestFinished(() => client.close());

    const { call, answer } = startGrpcUpload(client, {});

    expect(await answer).toMatchObject({ ok: false, error: { code: 'unauthenticated' } });
    call.cancel();
  });
});
