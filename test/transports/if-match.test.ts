// If-Match on resources with an entity tag (RFC 9110 §13.1.1).
import { expect, test } from 'vitest';
import { startTestApp } from '../support/harness.ts';
import { useStarted } from '../support/use-started.ts';

const app = useStarted(() => startTestApp());

const paths = ['/.well-known/jwks.json', '/openapi.json'];

test('a tag in If-Match must be the current one, by the strong comparison', async () => {
  const failures: string[] = [];
  let walked = 0;
  for (const path of paths) {
    const url = app.app.publicUrl + path;
    const etag = (await fetch(url)).headers.get('etag') ?? '';
    expect(etag).toMatch(/^".+"$/);
    const cases: [headers: Record<string, string>, status: number][] = [
      [{ 'If-Match': '"other"' }, 412],
      [{ 'If-Match': `W/${etag}` }, 412],
      [{ 'If-Match': etag.replaceAll('"', '') }, 412],
      [{ 'If-Match': '"a", "b"' }, 412],
      [{ 'If-Match': '"other"', 'If-None-Match': etag }, 412],
      [{ 'If-Match': '"other"', 'If-None-Match': '*' }, 412],
      [{ 'If-Match': '' }, 412],
      [{ 'If-Match': etag }, 200],
      [{ 'If-Match': `"other", ${etag}` }, 200],
      [{ 'If-Match': '*' }, 200],
      [{ 'If-Match': etag, 'If-None-Match': etag }, 304],
      [{}, 200],
    ];
    for (const method of ['GET', 'HEAD']) {
      for (const [headers, status] of cases) {
        const response = await fetch(url, { method, headers });
        const text = await response.text();
        const isProblem = status !== 412 || method === 'HEAD' || text.includes('precondition_fail');
        if (response.status !== status || !isProblem) {
          failures.push(`${method} ${path} ${JSON.stringify(headers)}: ${response.status}`);
        }
        walked++;
      }
    }
  }
  expect(failures).toEqual([]);
  expect(walked).toBe(2 * 2 * 12);
});
