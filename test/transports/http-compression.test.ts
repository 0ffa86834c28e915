// Compression of answers: which answers, which coding, and the Vary header.
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp } from '../support/harness.ts';
import { itHoldsFor } from '../support/rule.ts';
import { useStarted } from '../support/use-started.ts';

const app = useStarted(() => startTestApp());

type Answer = { status: number; headers: Record<string, unknown>; body: Buffer };

/** Sends a request and does not decompress the answer. */
function ask(
  path: string,
  headers: Record<string, string>,
  init: { method?: string; body?: string; origin?: string } = {},
): Promise<Answer> {
  const { method = 'GET', body, origin = app.app.publicUrl } = init;
  return new Promise((resolve, reject) => {
    const call = request(origin + path, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks),
        }),
      );
    });
    call.on('error', reject);
    call.end(body);
  });
}

const key = () => ({ authorization: `Bearer ${app.env.API_KEY}` });
const asJson = { 'content-type': 'application/json' };

describe('a list over 1 KiB', () => {
  beforeAll(async () => {
    const form = new FormData();
    form.set('file', new Blob(['text']), 'a.txt');
    const url = `${app.app.publicUrl}/api/v1/documents`;
    const made = await fetch(url, { method: 'POST', headers: key(), body: form });
    const { id } = (await made.json()) as { id: string };
    for (let i = 0; i < 8; i++) {
      const body = JSON.stringify({ document_id: id, email_required: true });
      await ask('/api/v1/links', { ...key(), ...asJson }, { method: 'POST', body });
    }
  });

  itHoldsFor([
    ['br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['gzip, br;q=0.5', 'gzip', gunzipSync],
    ['br;q=0, *', 'gzip', gunzipSync],
    ['identity, gzip;q=0.5', undefined, undefined],
    ['zstd', undefined, undefined],
    ['', undefined, undefined],
  ] as const)(
    'is sent in a coding that the client accepts',
    async (accepted, coding, decompress) => {
      const plain = await ask('/api/v1/links', key());
      const answer = await ask('/api/v1/links', { ...key(), 'accept-encoding': accepted });
      expect(answer.headers['content-encoding']).toBe(coding);
      expect(answer.headers.vary).toBe('accept-encoding');
      expect(String(decompress?.(answer.body) ?? answer.body)).toBe(String(plain.body));
      if (coding !== undefined) expect(answer.body.length).toBeLessThan(plain.body.length / 2);
    },
  );

  test('has the same headers for HEAD', async () => {
    const headers = { ...key(), 'accept-encoding': 'gzip' };
    const get = await ask('/api/v1/links', headers);
    const head = await ask('/api/v1/links', headers, { method: 'HEAD' });
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
    expect(head.headers['content-encoding']).toBe('gzip');
    expect(head.body.length).toBe(0);
  });
});

const accepting = { 'accept-encoding': 'br, gzip' };

test('an answer with a token is never compressed', async () => {
  const scope = app.env.CLIENT_SCOPES;
  const body = JSON.stringify({
    client_id: app.env.CLIENT_ID,
    client_secret: app.env.CLIENT_SECRET,
    scope,
  });
  const answer = await ask('/tokens', { ...asJson, ...accepting }, { method: 'POST', body });
  expect(answer.status).toBe(200);
  expect(answer.headers['content-encoding']).toBeUndefined();
  expect(String(answer.body)).toContain('access_token');
});

describe('a new client with a long list of scopes', () => {
  const client = JSON.stringify({
    name: 'Long',
    scopes: Array.from({ length: 100 }, (_, i) => `area_${i}:read`),
  });
  let headers: Record<string, string>;

  beforeAll(async () => {
    const body = JSON.stringify({
      email: app.env.STAFF_EMAIL,
      password: app.env.STAFF_PASSWORD,
    });
    const session = await ask('/sessions', asJson, { method: 'POST', body });
    const { access_token } = JSON.parse(String(session.body)) as { access_token: string };
    headers = { ...asJson, ...accepting, authorization: `Bearer ${access_token}` };
  });

  test('is answered without compression, because the answer contains the secret', async () => {
    const answer = await ask('/clients', headers, { method: 'POST', body: client });
    expect(answer.status).toBe(201);
    expect(answer.headers['content-encoding']).toBeUndefined();
    expect(String(answer.body)).toContain('client_secret');
  });

  test('is answered over Connect without compression, unlike a list of clients', async () => {
    const service = '/latchkey.identity.v1.ClientService';
    const made = await ask(`${service}/CreateClient`, headers, { method: 'POST', body: client });
    expect(made.status).toBe(200);
    expect(made.headers['content-encoding']).toBeUndefined();
    expect(String(made.body)).toContain('clientSecret');
    const list = await ask(`${service}/ListClients`, headers, { method: 'POST', body: '{}' });
    expect(list.headers['content-encoding']).toMatch(/^(br|gzip)$/);
  });
});

test('pages and metrics are compressed', async () => {
  const page = await ask('/errors', accepting);
  expect(page.headers['content-encoding']).toBe('br');
  expect(String(brotliDecompressSync(page.body))).toContain('<!doctype html>');
  const metrics = await ask('/metrics', { 'accept-encoding': 'gzip' }, { origin: app.app.opsUrl });
  expect(String(gunzipSync(metrics.body))).toContain('latchkey_call_duration_seconds');
});

test('short answers are not compressed, and long ones have a Vary header', async () => {
  const keys = await ask('/.well-known/jwks.json', accepting);
  expect(keys.headers).toMatchObject({ vary: 'accept-encoding' });
  expect(keys.headers['content-encoding']).toBeUndefined();
  const etag = `"${createHash('sha256').update(keys.body).digest('base64url')}"`;
  expect(keys.headers.etag).toBe(etag);
});
