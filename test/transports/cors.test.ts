// Browser code of other origins.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ConfigError, readConfig } from '../../src/base/config/config.ts';
import { sharedBrowser } from '../support/browser.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { itHoldsFor } from '../support/rule.ts';

const origin = 'https://app.example';
/** Serves an empty page of another origin. */
const pages = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html').end('<!doctype html><title>Other</title>');
});
let pageOrigin: string;
let test: TestApp;

beforeAll(async () => {
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
  pageOrigin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
  test = await startTestApp({ config: { corsOrigins: [origin, pageOrigin] } });
});
afterAll(async () => {
  pages.close();
  await test?.remove();
});

const send = (target: string, init: RequestInit = {}) =>
  fetch(test.app.publicUrl + target, { redirect: 'manual', ...init });

const preflight = (target: string, from = origin, method = 'POST') =>
  send(target, {
    method: 'OPTIONS',
    headers: {
      origin: from,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization, content-type',
    },
  });

function corsOf({ headers }: Response) {
  const names = [...headers.keys()].filter((name) => name.startsWith('access-control-'));
  return Object.fromEntries(names.map((name) => [name.slice(15), headers.get(name)]));
}

describe('an allowed origin', () => {
  itHoldsFor([
    ['/clients', 'GET, HEAD, POST'],
    ['/clients/cli_1', 'GET, HEAD, PATCH, DELETE'],
    ['/api/v1/documents', 'GET, HEAD, POST'],
    ['/latchkey.sharing.v1.DocumentService/UploadDocument', 'GET, HEAD, POST'],
  ])('may call every path of the API', async (target, methods) => {
    const answer = await preflight(target);
    expect(answer.status).toBe(204);
    expect(corsOf(answer)).toEqual({
      'allow-origin': origin,
      'allow-methods': methods,
      'allow-headers': '*, authorization',
      'max-age': '7200',
    });
    expect(answer.headers.get('vary')).toContain('origin');
  });

  itHoldsFor([
    ['a result', '/api/v1/documents', true, 200],
    ['an error', '/api/v1/documents', false, 401],
    ['a Connect error', '/latchkey.identity.v1.ClientService/GetClient', false, 415],
  ])('may read each answer with all of its headers', async (_, target, isSigned, status) => {
    const headers = {
      origin,
      'accept-encoding': 'gzip',
      ...(isSigned ? { authorization: `Bearer ${test.env.API_KEY}` } : {}),
    };
    const method = target.startsWith('/latchkey') ? 'POST' : 'GET';
    const answer = await send(target, { method, headers });
    expect(answer.status).toBe(status);
    expect(corsOf(answer)).toEqual({ 'allow-origin': origin, 'expose-headers': '*' });
    expect(answer.headers.get('vary')).toContain('origin');
    if (status === 200) expect(answer.headers.get('vary')).toContain('accept-encoding');
  });
});

describe('no header allows', () => {
  itHoldsFor([
    'https://other.example',
    'https://app.example:8443',
    'http://app.example',
    'https://app.example.evil',
    'null',
  ])('another origin', async (other) => {
    const asked = await preflight('/clients', other);
    expect([asked.status, corsOf(asked)]).toEqual([405, {}]);
    const called = await send('/clients', { headers: { origin: other } });
    expect(corsOf(called)).toEqual({});
    // A cache must not send this response to an allowed origin.
    expect(called.headers.get('vary')).toContain('origin');
  });

  itHoldsFor([
    '/sessions',
    '/sessions/refresh',
    '/latchkey.identity.v1.SessionService/SignIn',
    '/console',
    '/errors',
    '/s/aaaaaaaaaaaaaaaaaaaaaa',
    '/no-such-path',
  ])('a path that only the console uses, or none', async (target) => {
    expect(corsOf(await preflight(target))).toEqual({});
    const called = await send(target, { method: 'POST', headers: { origin } });
    expect(corsOf(called)).toEqual({});
  });
});

it('without the setting no header is sent', async () => {
  const other = await startTestApp();
  onTestFinished(() => other.remove());
  const called = await fetch(`${other.app.publicUrl}/clients`, { headers: { origin } });
  expect([corsOf(called), called.headers.get('vary')]).toEqual([{}, null]);
});

itHoldsFor([
  'app.example',
  'https://app.example/path',
  'https://a.example,',
  '*, https://a.example',
  'https://*.a.example',
])('malformed origins are refused at the start', (text) => {
  expect(() => readConfig({ LATCHKEY_CORS_ORIGINS: text })).toThrow(ConfigError);
  expect(() => readConfig({ LATCHKEY_CORS_ORIGINS: text })).toThrow(/^LATCHKEY_CORS_ORIGINS: /);
});

/** The code of the page as one script. */
async function pageScript(): Promise<string> {
  const entry = path.resolve(import.meta.dirname, '../support/cors-page.ts');
  const lib = { entry, name: 'page', formats: ['iife' as const] };
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    build: { write: false, lib, minify: false },
  });
  const [first] = [built].flat();
  const [chunk] = first !== undefined && 'output' in first ? first.output : [];
  if (chunk === undefined) throw new Error('the build has no output');
  return chunk.code;
}

it('a browser page of another origin calls JSON, Connect and gRPC-Web', async () => {
  const form = new FormData();
  form.append('file', new Blob(['some content']), 'cors.txt');
  const authorization = `Bearer ${test.env.API_KEY}`;
  const upload = await send('/api/v1/documents', {
    method: 'POST',
    headers: { authorization },
    body: form,
  });
  const { id } = (await upload.json()) as { id: string };
  const browser = await sharedBrowser();
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(pageOrigin);
  await page.addScriptTag({ content: await pageScript() });
  const given = JSON.stringify([test.app.publicUrl, test.env.API_KEY, id]);
  const one = { id, hasRequestId: true, bytes: 12, code: 'A bearer credential is required.' };
  expect(await page.evaluate(`callApi(...${given})`)).toEqual({ connect: one, grpcWeb: one });
  const json = `(async ([url, key, id]) => {
    const headers = { authorization: 'Bearer ' + key, range: 'bytes=5-11' };
    const target = url + '/api/v1/documents/' + id + '/file';
    const answer = await fetch(target, { headers });
    const cookies = await fetch(url + '/sessions/refresh', { method: 'POST', body: '{}' })
      .then(() => 'readable', () => 'hidden');
    const credentials = await fetch(target, { headers, credentials: 'include' })
      .then(() => 'readable', () => 'hidden');
    return [answer.status, await answer.text(), answer.headers.get('etag') !== null,
      answer.headers.get('content-range'), cookies, credentials];
  })(${given})`;
  expect(await page.evaluate(json)).toEqual([
    ...[206, 'content', true],
    ...['bytes 5-11/12', 'hidden', 'hidden'],
  ]);
});
