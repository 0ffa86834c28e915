// Attacks without an access session, or with one for another link. No answer reveals anything about
// the document or whether the link exists.
import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { encodeBase62 } from '../../src/base/crypto/ids.ts';
import { openRpcStreamTransports, untilFinished } from '../support/document-streams.ts';
import { cookieOf, useSecretDocument } from '../support/gated-document.ts';
import { startTestApp } from '../support/harness.ts';
import { itHoldsFor } from '../support/rule.ts';
import { callSharingApi, type LinkFields, makeLink, upload } from '../support/sharing-api.ts';

describe('the URL of a link', () => {
  it('contains 128 random bits of its link', async () => {
    const given: string[] = [];
    const random = (size: number) => {
      const bytes = randomBytes(size);
      if (size === 16) given.push(encodeBase62(bytes, 22));
      return bytes;
    };
    const test = await startTestApp({ random });
    onTestFinished(() => test.remove());
    const { id } = await upload(test, Buffer.from('shared'));

    const links = [await makeLink(test, id), await makeLink(test, id)];

    const slugs = links.map(({ url }) => url.slice(`${test.app.publicUrl}/s/`.length));
    const ids = [id, ...links.map((link) => link.id)].map((one) => one.slice(4));
    expect(new Set([...slugs, ...ids]).size).toBe(5);
    for (const slug of slugs) expect(given.filter((one) => one === slug)).toHaveLength(1);
  });
});

const body = new URLSearchParams({ email: 'reader@example.com' });

const swapCase = (text: string) =>
  text.toLowerCase() === text ? text.toUpperCase() : text.toLowerCase();

describe('a link', () => {
  const { etag, app, clock, gated, open, pass, expectNothingOf, expectNothingWith } =
    useSecretDocument('sqlite');
  const slugOf = ({ url }: LinkFields) => url.slice(-22);
  async function newDocument(): Promise<LinkFields> {
    const { id } = await upload(app(), Buffer.from('Another document.'));
    return makeLink(app(), id, { email_required: true });
  }

  it('answers guesses alike for malformed, unknown and deleted links', async () => {
    const deleted = await newDocument();
    const cookie = await pass(deleted);
    await callSharingApi(app(), 'DELETE', `/documents/${deleted.document_id}`);
    const live = slugOf(await gated());
    const slugs = [
      ...[slugOf(deleted), 'A'.repeat(22), 'A'.repeat(21), '_'.repeat(22), '%00', '..%2f'],
      ...[live.slice(0, -1), `${live}a`, `${live}%20`, swapCase(live), (await gated()).id],
      ...["'%20or%201=1", '%F0%9F%98%80', 'x'.repeat(1000)],
    ];
    for (const init of [{}, { method: 'HEAD' }, { method: 'POST', body }]) {
      for (const route of ['', '/file', '/download']) {
        const answers = new Set<string>();
        for (const slug of slugs) {
          const url = `${app().app.publicUrl}/s/${slug}${route}`;
          const answer = await fetch(url, { ...init, headers: { cookie }, redirect: 'manual' });
          const own = ['date', 'x-request-id'];
          const headers = [...answer.headers].filter(([name]) => !own.includes(name));
          const text = (await answer.text()).replace(/"request_id":"[^"]*"/, '');
          answers.add(JSON.stringify([answer.status, headers, text]));
        }
        expect(answers.size, `${JSON.stringify(init)} ${route}`).toBe(1);
      }
    }
  });

  const passes: [string, (link: LinkFields) => Promise<string>][] = [
    ['no pass', async () => ''],
    ['the cookie of a link to another document', async () => pass(await newDocument())],
    [
      'a cookie from before a change of the gate',
      async (link) => {
        const cookie = await pass(link);
        await callSharingApi(app(), 'PATCH', `/links/${link.id}`, { email_required: true });
        return cookie;
      },
    ],
    [
      'a cookie from before the revocation',
      async (link) => {
        const cookie = await pass(link);
        await callSharingApi(app(), 'DELETE', `/links/${link.id}`);
        return cookie;
      },
    ],
    [
      'a cookie from before the expiry',
      async (link) => {
        const expire_time = new Date(clock.now + 1000).toISOString();
        await callSharingApi(app(), 'PATCH', `/links/${link.id}`, { expire_time });
        const cookie = await pass(link);
        clock.now += 1000;
        return cookie;
      },
    ],
  ];
  itHoldsFor(passes, 5)('reveals nothing for any condition and range', async (_, make) => {
    const link = await gated();
    await expectNothingWith(link, await make(link));
  });

  it('returns the document only with its cookie', async () => {
    const link = await gated();
    const headers = { cookie: await pass(link), 'if-none-match': etag() };
    expect((await fetch(`${link.url}/file`, { headers })).status).toBe(304);
  });

  it('ignores malformed cookies', async () => {
    const link = await gated();
    const other = (await pass(await gated())).slice('latchkey_access='.length);
    const odd = [
      `latchkey_access=${'A'.repeat(8_000)}`,
      `latchkey_access=${'.'.repeat(8_000)}`,
      Array.from({ length: 1_000 }, (_, i) => `a${i}=b`).join('; '),
      `latchkey_access=${other}; latchkey_access=${other}`,
      `latchkey_access=; latchkey_access=${other}`,
      `latchkey_access=${other}; latchkey_access=`,
      '__proto__=x; latchkey_access=__proto__',
      'latchkey_access="',
      'latchkey_access=%E0%A4%A',
      ';;;=;',
    ];
    for (const cookie of odd) {
      for (const [route, status] of [
        ['', 200],
        ['/file', 403],
      ] as const) {
        const answer = await fetch(link.url + route, { headers: { cookie } });
        expect(answer.status, cookie.slice(0, 80)).toBe(status);
        await expectNothingOf(answer, cookie.slice(0, 80));
      }
    }
  });

  it('accepts the first of two access cookies, which is that of the longer path', async () => {
    const link = await gated();
    const [own, other] = [await pass(link), await pass(await gated())];
    const fileWith = async (cookie: string) => {
      const answer = await fetch(`${link.url}/file`, { headers: { cookie } });
      await answer.arrayBuffer();
      return answer.status;
    };
    expect(await fileWith(`${own}; ${other}`)).toBe(200);
    expect(await fileWith(`${other}; ${own}`)).toBe(403);
  });

  const foreign: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site', origin: 'null' },
    { origin: 'https://evil.test' },
    { origin: 'http://latchkey.test.evil.test' },
  ];
  itHoldsFor(foreign, 5)('refuses a form from another site', async (headers) => {
    const link = await gated();
    const answer = await fetch(link.url, { method: 'POST', body, headers, redirect: 'manual' });
    expect(answer.status).toBe(403);
    await expectNothingOf(answer, 'a form of another site');
    const read = await callSharingApi(app(), 'GET', `/links/${link.id}`);
    expect(read.body).toMatchObject({ view_count: 0 });
  });

  it('accepts forms from its page and from clients other than browsers', async () => {
    const link = await gated();
    const { publicUrl } = app().app;
    // A page without a referrer sends `null` as its origin (Fetch Standard, "append a request
    // Origin header").
    for (const headers of [
      { 'sec-fetch-site': 'same-origin', origin: 'null' },
      { 'sec-fetch-site': 'same-origin', origin: publicUrl },
      { origin: publicUrl },
      { origin: 'null' },
      {},
    ]) {
      const own = Object.entries(headers);
      const answer = await fetch(link.url, {
        method: 'POST',
        body,
        headers: own as [string, string][],
        redirect: 'manual',
      });
      expect(answer.status, JSON.stringify(headers)).toBe(303);
      expect(cookieOf(answer)).not.toBe('');
    }
  });

  it('sets a cookie that is valid only at its gate', async () => {
    const link = await gated();
    const cookie = await pass(link);
    const text = cookie.slice('latchkey_access='.length);
    const documentId = link.document_id;
    for (const transport of untilFinished(openRpcStreamTransports(app().app))) {
      for (const credential of [{ cookie }, { cookie, authorization: `Bearer ${text}` }]) {
        const answer = await transport.download({ documentId }, credential);
        expect(answer, transport.name).toMatchObject({
          ok: false,
          error: { code: 'unauthenticated' },
        });
      }
    }
    for (const path of ['links', `links/${link.id}`, `documents/${documentId}/file`]) {
      const url = `${app().app.publicUrl}/api/v1/${path}`;
      const answer = await fetch(url, { headers: { cookie } });
      expect(answer.status, path).toBe(401);
      await expectNothingOf(answer, path);
    }
  });

  it('forbids caching, sniffing, framing and indexing in every answer', async () => {
    const [asking, opened] = [await gated(), await open()];
    const cookie = await pass(asking);
    const gone = await gated();
    await callSharingApi(app(), 'DELETE', `/links/${gone.id}`);
    const unknown = { url: `${app().app.publicUrl}/s/${'A'.repeat(22)}` };
    const bad = { method: 'POST', body: new URLSearchParams({ email: 'nobody' }) };
    for (const { url } of [asking, opened, gone, unknown]) {
      for (const route of ['', '/file', '/download', '/nowhere']) {
        for (const init of [{}, { method: 'HEAD' }, bad, { method: 'POST', body }, { body: 'x' }]) {
          for (const headers of [{}, { cookie }, { cookie, range: 'bytes=99999-' }]) {
            const method = 'body' in init ? 'POST' : 'GET';
            const request = { method, ...init, headers, redirect: 'manual' } as const;
            const answer = await fetch(url + route, request);
            await answer.arrayBuffer();
            const what = `${request.method} ${url}${route} ${JSON.stringify(headers)}`;
            expect(answer.headers.get('cache-control'), what).toBe('no-store');
            if (answer.status === 303) continue;
            expect(answer.headers.get('x-content-type-options'), what).toBe('nosniff');
            const type = answer.headers.get('content-type');
            if (type === 'application/problem+json') continue;
            expect(answer.headers.get('content-security-policy'), what).toContain(
              "frame-ancestors 'none'",
            );
            expect(answer.headers.get('referrer-policy'), what).toBe('no-referrer');
            expect(answer.headers.get('x-robots-tag'), what).toBe('noindex, nofollow');
          }
        }
      }
    }
  });
});
