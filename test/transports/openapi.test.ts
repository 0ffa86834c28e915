// The OpenAPI document: its examples, its delivery, and its operations on a running service.
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { startTestApp } from '../support/harness.ts';
import { errorsOf, type Media, openApi, resolve } from '../support/openapi.ts';
import { itHoldsFor } from '../support/rule.ts';
import { useStarted } from '../support/use-started.ts';

const file = path.resolve(import.meta.dirname, '../../gen/openapi.json');

const test = useStarted(() => startTestApp());

const operations = Object.entries(openApi().paths).flatMap(([path, item]) =>
  Object.entries(item).map(([verb, operation]) => ({ path, verb, operation })),
);

/** Not fetch(), which would accept every coding and decode it. */
function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: Buffer }>(
    (resolve, reject) => {
      const url = `${test.app.publicUrl}${path}`;
      const sent = request(url, { method, headers }, async (response) => {
        const body = Buffer.concat(await response.toArray());
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
      });
      sent.on('error', reject).end();
    },
  );
}

describe('the OpenAPI document', () => {
  it('has valid examples of every body and parameter', () => {
    const errors = operations.flatMap(({ operation }) => {
      const answers = Object.values(operation.responses).map((answer) => resolve(answer));
      const media = [operation.requestBody, ...answers].flatMap((body) =>
        Object.values(body?.content ?? {}),
      );
      const examples: Media[] = [...media, ...operation.parameters.map((item) => resolve(item))];
      return examples
        .filter(({ example }) => example !== undefined)
        .map(({ schema = {}, example }) => errorsOf(schema, example))
        .flatMap((text) => (text === undefined ? [] : [`${operation.operationId}: ${text}`]));
    });
    expect(errors).toEqual([]);
  });

  it('has an example of every JSON body', () => {
    const missing = operations.filter(({ operation }) => {
      const body = operation.requestBody?.content['application/json'];
      return body !== undefined && body.example === undefined;
    });
    expect(missing.map(({ operation }) => operation.operationId)).toEqual([]);
  });

  // Generated clients then have a type for it.
  it('has a name for the schema of every JSON body', () => {
    const bodies = operations.flatMap(({ operation: { operationId, ...operation } }) =>
      [operation.requestBody, ...Object.values(operation.responses).map((one) => resolve(one))]
        .flatMap((body) => Object.entries(body?.content ?? {}))
        .filter(([type]) => /json$/.test(type))
        .map(([, { schema = {} }]) => ({ operationId, schema: JSON.stringify(schema) })),
    );
    const unnamed = bodies.filter(({ schema }) => !schema.includes('"$ref"'));
    // The document does not describe itself.
    expect(unnamed.map(({ operationId }) => operationId)).toEqual(['openApi']);
    expect(bodies.length).toBeGreaterThan(1_000);
  });

  it('names the scope of every method that needs one', () => {
    const { security } = openApi().paths['/api/v1/links']?.post ?? {};
    const scopes = ['links:write'];
    expect(security).toEqual([{ workspace_key: scopes }, { session: scopes }, { service: scopes }]);
  });

  it('has relative servers, so that it is true for every public URL', () => {
    expect(openApi()).toMatchObject({ openapi: '3.1.1', servers: [{ url: '/' }] });
  });

  it('describes the responses of every operation to a request without a credential', async () => {
    for (const { path, verb, operation } of operations) {
      const isOps = operation.tags.includes('Operations');
      const origin = isOps ? test.app.opsUrl : test.app.publicUrl;
      const method = verb.toUpperCase();
      const url = origin + path.replaceAll(/\{\w+\}/g, 'none');
      const response = await fetch(url, { method, redirect: 'manual' });
      await response.arrayBuffer();
      expect([405, 500]).not.toContain(response.status);
      expect(Object.keys(operation.responses)).toContain(String(response.status));
    }
  });
});

describe('/openapi.json', () => {
  itHoldsFor([
    ['identity', '', (body: Buffer) => body],
    ['br', 'br, gzip', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
  ])('is the committed document, in each coding', async (coding, accepted, decode) => {
    const headers = accepted === '' ? {} : { 'accept-encoding': accepted };
    const answer = await get('/openapi.json', headers);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-encoding'] ?? 'identity').toBe(coding);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(answer.body.length),
      'cache-control': 'public, max-age=300, must-revalidate',
      'access-control-allow-origin': '*',
      vary: 'accept-encoding',
    });
    expect(decode(answer.body).equals(readFileSync(file))).toBe(true);
  });

  it('is not sent again to a client that has it', async () => {
    const { headers } = await get('/openapi.json');
    const { etag } = headers;
    const again = await get('/openapi.json', { 'if-none-match': String(etag) });
    expect(again).toMatchObject({ status: 304, headers: { etag } });
    expect(again.body).toHaveLength(0);
  });

  it('answers HEAD without a body', async () => {
    const answer = await get('/openapi.json', {}, 'HEAD');
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
    expect(answer.body).toHaveLength(0);
  });
});
