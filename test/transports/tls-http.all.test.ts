// HTTP over TLS: the same answers over HTTP/1.1 and HTTP/2.
import { createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { describe, expect, onTestFinished } from 'vitest';
import { DocumentService } from '../../gen/latchkey/sharing/v1/document_pb.js';
import { itHoldsFor } from '../support/rule.ts';
import { openHttp1, openHttp2, startTlsApp } from '../support/tls-app.ts';
import { useStarted } from '../support/use-started.ts';

const test = useStarted(() => startTlsApp({ config: { trustedProxies: ['127.0.0.1'] } }));

const openers = { 'HTTP/1.1': openHttp1, 'HTTP/2': openHttp2 };

describe('HTTP with TLS', () => {
  const itHolds = itHoldsFor(['HTTP/1.1', 'HTTP/2'] as const);
  const open = (version: keyof typeof openers) => {
    const client = openers[version](test.app.publicUrl, test.files.authority.certificate);
    onTestFinished(() => client.close());
    return client;
  };

  itHolds('issues a token, and HSTS is on', async (version) => {
    const { CLIENT_ID, CLIENT_SECRET, CLIENT_SCOPES } = test.env;
    const [scope] = CLIENT_SCOPES.split(' ');
    const answer = await open(version).send('/tokens', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, scope }),
    });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body.toString())).toMatchObject({ token_type: 'Bearer', scope });
    expect(answer.headers['strict-transport-security']).toBe('max-age=31536000');
  });

  itHolds('stores an upload and returns a range of it', async (version) => {
    const client = open(version);
    const content = Buffer.alloc(300_000, 'abcdefghij');
    const form = new FormData();
    form.append('file', new Blob([content]), 'big.txt');
    const encoded = new Response(form);
    const authorization = `Bearer ${test.env.API_KEY}`;
    const upload = await client.send('/api/v1/documents', {
      method: 'POST',
      headers: { authorization, 'content-type': encoded.headers.get('content-type') ?? '' },
      body: Buffer.from(await encoded.arrayBuffer()),
    });
    expect(upload.status).toBe(201);
    const { id } = JSON.parse(upload.body.toString());
    const target = `/api/v1/documents/${id}/file`;
    const part = await client.send(target, { headers: { authorization, range: 'bytes=5-14' } });
    expect([part.status, part.body.toString()]).toEqual([206, 'fghijabcde']);
    const head = await client.send(target, { method: 'HEAD', headers: { authorization } });
    expect([head.status, head.headers['content-length']]).toEqual([200, '300000']);
    const whole = await client.send(target, { headers: { authorization } });
    expect(whole.body.equals(content)).toBe(true);
  });

  itHolds('uses the address of the caller behind a trusted proxy', async (version) => {
    const address = version === 'HTTP/2' ? '192.0.2.2' : '192.0.2.1';
    const answer = await open(version).send('/tokens/api-key', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify({ api_key: 'lk_ck_unknown' }),
    });
    expect(answer.status).toBe(401);
    const events = () => test.app.inside.db.selectFrom('audit_events').select('address').execute();
    await expect.poll(events).toContainEqual({ address });
  });

  itHolds('serves HTML, assets and errors', async (version) => {
    const client = open(version);
    const html = await client.send('/console', { headers: { accept: 'text/html' } });
    expect(html.status).toBe(200);
    const [, script = ''] = /src="(\/assets\/[^"]+\.js)"/.exec(html.body.toString()) ?? [];
    const asset = await client.send(script);
    expect([asset.status, asset.body.length > 1000]).toEqual([200, true]);
    expect((await client.send('/no-such-path')).status).toBe(404);
    expect((await client.send('/clients')).status).toBe(401);
    const large = await client.send('/tokens', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.alloc(3_000_000, ' '),
    });
    expect(large.status).toBe(413);
  });
});

itHoldsFor([
  ['Connect', createConnectTransport],
  ['gRPC-Web', createGrpcWebTransport],
] as const)(
  'Connect and gRPC-Web carry streams over HTTP/2 and TLS',
  async (_, createTransport) => {
    const nodeOptions = { ca: test.files.authority.certificate };
    const baseUrl = test.app.publicUrl;
    const client = createClient(
      DocumentService,
      createTransport({ baseUrl, httpVersion: '2', nodeOptions }),
    );
    const headers = { authorization: `Bearer ${test.env.API_KEY}` };
    const pieces = ['first, ', 'second'].map((text) => Buffer.from(text));
    async function* messages() {
      yield { name: 'two.txt' };
      for (const file of pieces) yield { file };
    }
    const { document } = await client.uploadDocument(messages(), { headers });
    const listed = await client.listDocuments({}, { headers });
    expect(listed.documents.map(({ id }) => id)).toContain(document?.id);
    const received: Uint8Array[] = [];
    const parts = client.downloadDocument({ documentId: document?.id ?? '' }, { headers });
    for await (const { part } of parts) if (part.case === 'chunk') received.push(part.value);
    expect(Buffer.concat(received).toString()).toBe('first, second');
  },
);
