// Compression and caching of the built browser code.
import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { startTestApp } from '../support/harness.ts';
import { itHoldsFor } from '../support/rule.ts';
import { useStarted } from '../support/use-started.ts';

const test = useStarted(() => startTestApp());
let script: string;
beforeAll(async () => {
  const page = await (await fetch(`${test.app.publicUrl}/console`)).text();
  script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1] ?? '';
});

type Answer = { readonly headers: NodeJS.Dict<string | string[]>; readonly body: Buffer };

/** Not fetch(), which would accept every coding and decode it. */
function get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(`${test.app.publicUrl}${path}`, { headers }, async (response) => {
      const body = Buffer.concat(await response.toArray());
      resolve({ headers: response.headers, body });
    });
    sent.on('error', reject).end();
  });
}

describe('a script', () => {
  itHoldsFor([
    ['br', 'gzip, deflate, br', brotliDecompressSync],
    ['gzip', 'gzip, deflate', gunzipSync],
  ])(
    'is sent compressed to clients that accept it, with the same content',
    async (coding, accepted, decode) => {
      const plain = await get(script);
      const coded = await get(script, { 'accept-encoding': accepted });

      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(coded.headers['content-encoding']).toBe(coding);
      expect(coded.body.length).toBeLessThan(plain.body.length / 2);
      expect(decode(coded.body).equals(plain.body)).toBe(true);
      for (const { headers } of [plain, coded]) {
        expect(headers['content-type']).toBe('application/javascript; charset=utf-8');
        expect(headers.vary).toBe('accept-encoding');
        expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
        expect(headers['x-content-type-options']).toBe('nosniff');
      }
    },
  );

  it('has a separate ETag per content coding', async () => {
    const plain = await get(script);
    const coded = await get(script, { 'accept-encoding': 'gzip' });
    expect(plain.headers.etag).toBeDefined();
    expect(plain.headers.etag).not.toBe(coded.headers.etag);
  });
});
