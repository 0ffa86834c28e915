import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { Client, credentials } from '@grpc/grpc-js';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { DocumentService } from '../../gen/latchkey/sharing/v1/document_pb.js';
import { startGrpcUpload } from '../support/document-streams.ts';
import { startTestApp } from '../support/harness.ts';
import { multipartBody, openRawHttp, requestHead } from '../support/raw-http.ts';
import { itHoldsFor } from '../support/rule.ts';
import { expectNothingStored, keyOf } from '../support/sharing-api.ts';
import { connectError } from '../support/transports.ts';
import { useStarted } from '../support/use-started.ts';

describe('an upload that stalls', () => {
  const test = useStarted(() => startTestApp({ uploadStalledMs: 200 }));
  afterEach(() => expectNothingStored(test));

  const form = multipartBody(
    [{ name: 'file', filename: 'a.bin', body: Buffer.alloc(100_000, 'a') }],
    'frontier',
  );

  const stalls: [string, sent: number][] = [
    ['before its body', 0],
    ['within the headers of its part', 60],
    ['within the file', 50_000],
    ['before the last boundary', form.length - 20],
  ];
  itHoldsFor(
    stalls,
    4,
    'together',
  )('over HTTP ends with an error and leaves nothing behind', async (_, sent) => {
    const connection = await openRawHttp(Number(new URL(test.app.publicUrl).port));
    onTestFinished(() => connection.reset());
    const head = requestHead('POST', '/api/v1/documents', {
      Host: 'latchkey.test',
      Authorization: keyOf(test).authorization,
      'Content-Type': 'multipart/form-data; boundary=frontier',
      'Content-Length': String(form.length),
    });
    await connection.write(head);
    await connection.write(form.subarray(0, sent));

    const response = await connection.response();

    expect(response?.status).toBe(499);
    expect(JSON.parse(String(response?.body))).toMatchObject({
      code: 'canceled',
      detail: 'The upload stalled.',
    });
    expect(response?.headers.get('connection')).toBe('close');
  });

  itHoldsFor([
    ['before its first message', 0],
    ['between two messages', 3],
  ])('over gRPC ends with an error and leaves nothing behind', async (_, pieces) => {
    const client = new Client(test.app.grpcAddress, credentials.createInsecure());
    onTestFinished(() => client.close());
    const { call, answer } = startGrpcUpload(client, keyOf(test));
    for (let i = 0; i < pieces; i++) call.write({ file: Buffer.alloc(10_000) });

    const stalled = { code: 'canceled', grpc: 1, message: 'The upload stalled.' };
    expect(await answer).toMatchObject({ ok: false, error: stalled });
  });

  it('over Connect ends with an error and leaves nothing behind', async () => {
    const transport = createConnectTransport({ baseUrl: test.app.publicUrl, httpVersion: '1.1' });
    const client = createClient(DocumentService, transport);
    let goOn = () => {};
    const stall = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    onTestFinished(() => goOn());
    async function* requests() {
      yield { file: Buffer.alloc(10_000) };
      await stall;
    }

    const failed = await client
      .uploadDocument(requests(), { headers: keyOf(test) })
      .then(undefined, connectError);

    expect(failed).toMatchObject({ code: 'canceled', message: 'The upload stalled.' });
  });
});
