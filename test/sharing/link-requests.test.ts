// Unusual requests for a shared link: paths, methods, hosts and headers that no browser sends. None
// of them bypasses the gate.
import { describe, expect, it, onTestFinished } from 'vitest';
import { useSecretDocument } from '../support/gated-document.ts';
import { openRawHttp, requestHead } from '../support/raw-http.ts';
import { itHoldsFor } from '../support/rule.ts';
import { keyOf, type LinkFields } from '../support/sharing-api.ts';

describe('a link', () => {
  const { app, gated, open, pass, expectNothingOf } = useSecretDocument('sqlite');
  const slugOf = ({ url }: LinkFields) => url.slice(-22);

  /** A raw request, which no client library would send. */
  async function raw(method: string, path: string, headers: Record<string, string> = {}) {
    const connection = await openRawHttp(Number(new URL(app().app.publicUrl).port));
    onTestFinished(() => connection.reset());
    const all = { Host: 'latchkey.test', Connection: 'close', ...headers };
    await connection.write(requestHead(method, path, all));
    const answer = await connection.response();
    if (answer === undefined) throw new Error(`${method} ${path} got no answer`);
    const { status } = answer;
    const text = [204, 304].includes(status) ? null : new Uint8Array(answer.body);
    return new Response(text, { status, headers: answer.headers });
  }

  const paths = [
    '/s/SLUG/file/',
    '/s/SLUG//file',
    '/s//SLUG/file',
    '//s/SLUG/file',
    '/S/SLUG/file',
    '/s/SLUG/FILE',
    '/s/SLUG/%66ile',
    '/s/SLUG%2ffile',
    '/s/SLUG%2Ffile',
    '/s%2fSLUG/file',
    '/s/SLUG/./file',
    '/s/SLUG/%2e/file',
    '/s/SLUG/x/../file',
    '/s/SLUG/..;/SLUG/file',
    '/s/SLUG;x=y/file',
    '/s/SLUG/file;x=y',
    '/s/SLUG\\file',
    '/s/SLUG/file%00',
    '/s/SLUG/file?download',
    '/s/SLUG/file#x',
    '/s/SLUG/file/1',
    '/s/SLUG/download/',
    '/s/SLUG/..%2fSLUG/download',
    '/s/ENCODED/file',
    '/s/SLUG%20/file',
    'http://latchkey.test/s/SLUG/file',
    '/api/v1/links/SLUG',
    '/api/v1/../../s/SLUG/file',
    '/assets/../s/SLUG/file',
    '/assets/..%2fs%2fSLUG%2ffile',
  ];
  itHoldsFor(paths, 30)('is not opened without its gate by any path', async (path) => {
    const slug = slugOf(await gated());
    const encoded = Buffer.from(slug).toString('hex').replace(/../g, '%$&');
    const target = path.replaceAll('SLUG', slug).replaceAll('ENCODED', encoded);
    for (const method of ['GET', 'HEAD', 'POST']) {
      const answer = await raw(method, target, method === 'POST' ? { 'Content-Length': '0' } : {});
      expect(answer.status, method).toBeGreaterThanOrEqual(400);
      await expectNothingOf(answer, `${method} ${path}`);
    }
  });

  const methods = ['OPTIONS', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'COPY', 'QUERY'];
  itHoldsFor(methods, 8)(
    'refuses any other method even with its cookie, and does not echo it',
    async (method) => {
      const link = await gated();
      const cookie = await pass(link);
      const { pathname } = new URL(link.url);
      for (const route of ['', '/file', '/download']) {
        const answer = await raw(method, pathname + route, { Cookie: cookie });
        expect(answer.status, route).toBe(405);
        expect(answer.headers.get('allow')).toBe(route === '' ? 'GET, HEAD, POST' : 'GET, HEAD');
        expect(await answer.clone().text()).not.toContain(cookie.slice('latchkey_access='.length));
        await expectNothingOf(answer, `${method} ${route}`);
      }
    },
  );

  it('ignores headers and parameters that override the method', async () => {
    const link = await gated();
    for (const name of ['x-http-method-override', 'x-http-method', 'x-method-override']) {
      const answer = await fetch(`${link.url}?_method=POST&email=a@example.com`, {
        headers: { [name]: 'POST' },
      });
      expect(answer.status).toBe(200);
      await expectNothingOf(answer, name);
    }
  });

  it('has the configured host in its URL, whatever Host the request has', async () => {
    const { publicUrl } = app().app;
    const slug = slugOf(await open());
    const { document_id } = await open();
    const json = JSON.stringify({ document_id });
    const forgedHost = {
      Host: 'attacker.test',
      'X-Forwarded-Host': 'attacker.test',
      'X-Forwarded-Proto': 'https',
      'X-Forwarded-Prefix': '/attacker',
      Forwarded: 'host=attacker.test;proto=https',
      'X-Original-URL': '/attacker',
      'X-Rewrite-URL': '/attacker',
    };
    const origin = 'http://attacker.test';
    for (const prefix of ['', origin]) {
      const page = await raw('GET', `${prefix}/s/${slug}`, forgedHost);
      expect(page.status).toBe(200);
      const output = JSON.stringify([...page.headers]) + (await page.text());
      expect(output).not.toContain('attacker');
      expect(output).not.toContain('; Secure');
      const lost = await raw('GET', `${prefix}/s/${slug}/nowhere`, forgedHost);
      expect(await lost.text()).not.toContain('attacker');
      const read = await raw('GET', `${prefix}/api/v1/links`, { ...forgedHost, ...keyOf(app()) });
      const { links } = (await read.json()) as { links: LinkFields[] };
      for (const { url } of links) expect(url.startsWith(`${publicUrl}/s/`), url).toBe(true);
    }
    const connection = await openRawHttp(Number(new URL(publicUrl).port));
    onTestFinished(() => connection.reset());
    const length = { 'Content-Type': 'application/json', 'Content-Length': String(json.length) };
    const headers = { ...forgedHost, ...keyOf(app()), ...length };
    await connection.write(requestHead('POST', '/api/v1/links', headers) + json);
    const made = JSON.parse(String((await connection.response())?.body)) as LinkFields;
    expect(made.url.startsWith(`${publicUrl}/s/`)).toBe(true);
  });

  it('treats a huge cookie as missing or too large', async () => {
    const link = await gated();
    const huge = { Cookie: `latchkey_access=${'A'.repeat(20_000)}` };
    const answer = await raw('GET', `${new URL(link.url).pathname}/file`, huge);
    expect(answer.status).toBe(431);
    await expectNothingOf(answer, 'a huge cookie');
  });
});
