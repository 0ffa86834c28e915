import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { Client, credentials } from '@grpc/grpc-js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DocumentService } from '../../gen/latchkey/sharing/v1/document_pb.js';
import { openStreamTransports, type Piece, startGrpcUpload } from '../support/document-streams.ts';
import { faultyUploads } from '../support/faulty-uploads.ts';
import { blobDirOf, filesUnder, keyOf } from '../support/sharing-api.ts';

const { app } = faultyUploads();

describe('an upload as a stream of messages', () => {
  const chunk = Buffer.alloc(50_000, 'a');
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
  ];
  it.each(streams)(
    'of %s is refused and leaves nothing behind',
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
