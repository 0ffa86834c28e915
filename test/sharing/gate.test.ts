import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { describeDialects, startTestApp, type TestApp } from '../support/harness.ts';
import { makePdf } from '../support/pdf.ts';
import { freePort } from '../support/postgres.ts';
import {
  api,
  type DocumentFields,
  type LinkFields,
  makeLink,
  makePng,
  upload,
} from '../support/sharing.ts';

const pdf = makePdf({ pages: 1, text: 'The secret terms', padToBytes: 20_000 });
const name = 'The <b>secret</b> terms.pdf';
const hours = 3_600_000;

describeDialects('the gate of a link', (dialect) => {
  let test: TestApp;
  let clock = Date.now();
  let document: DocumentFields;
  beforeAll(async () => {
    test = await startTestApp({ dialect, now: () => clock });
    document = await upload(test, pdf, 'terms.pdf');
    await api(test, 'PATCH', `/documents/${document.id}`, { name });
  });
  afterAll(() => test.remove());

  const gated = (options = {}) =>
    makeLink(test, document.id, { email_required: true, allow_download: true, ...options });

  /** Passes the gate; returns the cookie as a browser would send it. */
  async function pass(link: LinkFields, email = 'reader@example.com'): Promise<string> {
    const body = new URLSearchParams({ email });
    const response = await fetch(link.url, { method: 'POST', body, redirect: 'manual' });
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe(new URL(link.url).pathname);
    return cookieOf(response);
  }

  const cookieOf = (response: Response) =>
    response.headers.get('set-cookie')?.split(';', 1)[0] ?? '';

  const requests: [what: string, route: string, init: RequestInit][] = [
    ['the page', '', {}],
    ['the page by HEAD', '', { method: 'HEAD' }],
    ['the page with a query', '?email=reader@example.com', {}],
    ['the file', '/file', {}],
    ['the file by HEAD', '/file', { method: 'HEAD' }],
    ['a range of the file', '/file', { headers: { range: 'bytes=0-99' } }],
    ['a range beyond its end', '/file', { headers: { range: 'bytes=20000-' } }],
    ['the file, known already', '/file', { headers: { 'if-none-match': '*' } }],
    ['the file by POST', '/file', { method: 'POST', body: 'email=a@example.com' }],
    ['the download', '/download', {}],
    ['the download by HEAD', '/download', { method: 'HEAD' }],
    ['a range of the download', '/download', { headers: { range: 'bytes=-5' } }],
    ['the download with a key of nobody', '/download', { headers: { authorization: 'Bearer a' } }],
    ['a page behind it', '/file/1', {}],
    ['the page by DELETE', '', { method: 'DELETE' }],
    ['the page by OPTIONS', '', { method: 'OPTIONS' }],
    ['a form without an address', '', { method: 'POST', body: new URLSearchParams() }],
    ['a form of another type', '', { method: 'POST', body: '{"email":"a@example.com"}' }],
  ];

  /** Nothing of the document: no byte, no name, no size, no type, no digest. */
  async function expectNothingOf(response: Response, what: string): Promise<void> {
    const body = Buffer.from(await response.arrayBuffer());
    const headers = JSON.stringify([...response.headers]);
    const text = `${body.toString('latin1')}\n${headers}`;
    const traces = ['secret', '%PDF', '20000', document.sha256, document.id, 'application/pdf'];
    for (const trace of traces) expect(text, `${what} tells ${trace}`).not.toContain(trace);
    expect(response.headers.get('content-range'), what).toBeNull();
    expect(response.headers.get('set-cookie'), what).toBeNull();
    expect([206, 304, 416, 500], what).not.toContain(response.status);
  }

  it.each(requests)(
    'tells nothing of the document before it is passed: %s',
    async (what, route, init) => {
      const link = await gated();

      const response = await fetch(link.url + route, { ...init, redirect: 'manual' });

      await expectNothingOf(response, what);
      const { body } = await api(test, 'GET', `/links/${link.id}`);
      expect(body).toMatchObject({ view_count: 0 });
    },
  );

  it('asks for an e-mail address, and opens to one', async () => {
    const link = await gated();
    const asked = await fetch(link.url);
    expect(asked.status).toBe(200);
    expect(await asked.text()).toContain('name="email"');

    const cookie = await pass(link);

    const page = await fetch(link.url, { headers: { cookie } });
    const html = await page.text();
    expect(page.status).toBe(200);
    expect(html).toContain('The &lt;b&gt;secret&lt;/b&gt; terms.pdf');
    expect(html).not.toContain('<b>');
    for (const route of ['/file', '/download']) {
      const file = await fetch(link.url + route, { headers: { cookie } });
      expect(file.status, route).toBe(200);
      expect(pdf.equals(Buffer.from(await file.arrayBuffer())), route).toBe(true);
    }
  });

  const addresses = [
    '',
    ' ',
    'reader',
    'reader@',
    '@example.com',
    'reader@localhost',
    'a b@example.com',
    'reader@exa mple.com',
    'reader@example..com',
    'reader@-example.com',
    'reader@example.com\r\nBcc: other@example.com',
    'reader@example.com\u0000',
    'a@b@example.com',
    '<script>@example.com',
    `${'x'.repeat(65)}@example.com`,
    `reader@${'x.'.repeat(130)}com`,
    'x'.repeat(100_000),
  ];
  it.each(addresses)('refuses the e-mail address %.40j, and says so', async (email) => {
    const link = await gated();
    const body = new URLSearchParams({ email });

    const response = await fetch(link.url, { method: 'POST', body, redirect: 'manual' });

    const html = await response.clone().text();
    await expectNothingOf(response, email);
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(html).toMatch(/<p class="error" role="alert">Please give an e-mail address/);
    expect(html).toContain('name="email"');
    const views = await api(test, 'GET', `/links/${link.id}/views`);
    expect(views.body).toMatchObject({ views: [] });
  });

  it('gives a pass that only this link and no script gets to see', async () => {
    const link = await gated();
    const body = new URLSearchParams({ email: 'reader@example.com' });
    const response = await fetch(link.url, { method: 'POST', body, redirect: 'manual' });

    const [value, ...attributes] = (response.headers.get('set-cookie') ?? '').split('; ');

    expect(value).toMatch(/^latchkey_pass=[\w.-]+$/);
    expect(attributes.sort()).toEqual([
      'HttpOnly',
      'Max-Age=43200',
      `Path=${new URL(link.url).pathname}`,
      'SameSite=Lax',
    ]);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
  });

  describe('takes no pass', () => {
    async function expectClosed(link: LinkFields, cookie: string, status = 403): Promise<void> {
      for (const route of ['/file', '/download']) {
        const response = await fetch(link.url + route, { headers: { cookie } });
        expect(response.status, cookie).toBe(status);
        await expectNothingOf(response, cookie);
      }
      await expectNothingOf(await fetch(link.url, { headers: { cookie } }), cookie);
    }

    it('of another link', async () => {
      const [link, other] = [await gated(), await gated()];
      await expectClosed(link, await pass(other));
    });

    it('that was forged, cut or stretched', async () => {
      const link = await gated();
      const cookie = await pass(link);
      const [head = '', linkId = '', revision = '', view = '', exp = '', mac = ''] =
        /^(latchkey_pass=)([^.]+)\.([^.]+)\.([^.]+)\.([^.]+)\.(.+)$/.exec(cookie)?.slice(1) ?? [];
      const join = (...parts: string[]) => head + parts.join('.');
      const flipped = `${mac.startsWith('A') ? 'B' : 'A'}${mac.slice(1)}`;
      const forged = [
        join(linkId, revision, view, exp, flipped),
        join(linkId, revision, view, String(Number(exp) + 1), mac),
        join(linkId, String(Number(revision) + 1), view, exp, mac),
        join(linkId, revision, `viw_${'0'.repeat(22)}`, exp, mac),
        join(linkId, revision, view, exp),
        join(linkId, revision, view, exp, ''),
        join(linkId, revision, view, exp, 'A'.repeat(43)),
        join(linkId, revision, view, exp, '€'.repeat(14)),
        cookie.slice(0, -1),
        `${cookie}A`,
        `${cookie}=`,
        head,
        'latchkey_pass',
        `${head}%`,
        `${head}"`,
        `x=${cookie}`,
        `LATCHKEY_PASS=${cookie.slice(head.length)}`,
      ];
      for (const one of forged) await expectClosed(link, Buffer.from(one).toString('latin1'));
    });

    it('for longer than twelve hours', async () => {
      const link = await gated();
      const cookie = await pass(link);
      clock += 12 * hours - 2000;
      const open = await fetch(`${link.url}/file`, { headers: { cookie } });
      await open.arrayBuffer();
      expect(open.status).toBe(200);

      clock += 2000;

      await expectClosed(link, cookie);
    });

    it('after the link was revoked', async () => {
      const link = await gated();
      const cookie = await pass(link);
      await api(test, 'DELETE', `/links/${link.id}`);

      await expectClosed(link, cookie, 410);

      const page = await fetch(link.url, { headers: { cookie } });
      expect(page.status).toBe(410);
      expect(await page.text()).toContain('no longer available');
      const body = new URLSearchParams({ email: 'reader@example.com' });
      const again = await fetch(link.url, { method: 'POST', body, redirect: 'manual' });
      expect(again.status).toBe(410);
      await expectNothingOf(again, 'a form after the revocation');
    });

    it('from the moment that the link ends', async () => {
      const end = clock + hours;
      const link = await gated({ expire_time: new Date(end).toISOString() });
      const cookie = await pass(link);
      clock = end - 1;
      const open = await fetch(`${link.url}/file`, { headers: { cookie } });
      await open.arrayBuffer();
      expect(open.status).toBe(200);

      clock = end;

      await expectClosed(link, cookie, 410);
      // Whoever gives the link a new end gives it back to those who were in.
      const longer = { expire_time: new Date(end + hours).toISOString() };
      expect((await api(test, 'PATCH', `/links/${link.id}`, longer)).status).toBe(200);
      const back = await fetch(`${link.url}/file`, { headers: { cookie } });
      await back.arrayBuffer();
      expect(back.status).toBe(200);
    });

    it('of before the gate was changed', async () => {
      const link = await makeLink(test, document.id, { allow_download: true });
      const cookie = cookieOf(await fetch(link.url));
      const renamed = await api(test, 'PATCH', `/links/${link.id}`, { name: 'No gate' });
      expect(renamed.status).toBe(200);
      const open = await fetch(`${link.url}/file`, { headers: { cookie } });
      await open.arrayBuffer();
      expect(open.status).toBe(200);

      await api(test, 'PATCH', `/links/${link.id}`, { email_required: true });

      await expectClosed(link, cookie);
      const second = await pass(link);
      await api(test, 'PATCH', `/links/${link.id}`, { email_required: true });
      await expectClosed(link, second);
    });
  });

  it('lets nobody guess: unknown and malformed addresses look the same', async () => {
    const link = await gated();
    const cookie = await pass(link);
    const slug = link.url.slice(-22);
    const slugs = [
      'A'.repeat(22),
      slug.slice(0, -1),
      `${slug}a`,
      slug.toLowerCase() === slug ? slug.toUpperCase() : slug.toLowerCase(),
      link.id,
      `${slug}%20`,
      "'%20or%201=1",
      '%F0%9F%98%80',
      'x'.repeat(1000),
    ];
    const pages = new Set<string>();
    for (const one of slugs) {
      const url = `${test.app.publicUrl}/s/${one}`;
      const page = await fetch(url, { headers: { cookie } });
      expect(page.status, one).toBe(404);
      pages.add(await page.text());
      for (const route of ['/file', '/download']) {
        expect((await fetch(url + route, { headers: { cookie } })).status, one).toBe(404);
      }
    }
    expect(pages.size).toBe(1);
  });

  it('offers no download unless the link allows it', async () => {
    const link = await gated({ allow_download: false });
    const cookie = await pass(link);

    expect(await (await fetch(link.url, { headers: { cookie } })).text()).not.toContain(
      '/download',
    );
    const refused = await fetch(`${link.url}/download`, { headers: { cookie } });
    expect(refused.status).toBe(403);
    await expectNothingOf(refused, 'the download');

    await api(test, 'PATCH', `/links/${link.id}`, { allow_download: true });
    const download = await fetch(`${link.url}/download`, { headers: { cookie } });
    expect(download.status).toBe(200);
    expect(download.headers.get('content-disposition')).toMatch(/^attachment; /);
    await download.arrayBuffer();
  });

  it('stands open where nothing is asked, and counts a view for each reader', async () => {
    const link = await makeLink(test, document.id);
    const count = async () =>
      (await api<LinkFields>(test, 'GET', `/links/${link.id}`)).body.view_count;

    expect((await fetch(link.url, { method: 'HEAD' })).status).toBe(200);
    expect(await count()).toBe(0);
    const page = await fetch(link.url);
    expect([page.status, await count()]).toEqual([200, 1]);
    const cookie = cookieOf(page);
    expect(cookie).not.toBe('');
    const again = await fetch(link.url, { headers: { cookie } });
    expect([again.status, again.headers.get('set-cookie')]).toEqual([200, null]);
    await (await fetch(`${link.url}/file`, { headers: { cookie } })).arrayBuffer();
    expect(await count()).toBe(1);
    await fetch(link.url);
    expect(await count()).toBe(2);
  });
});

describe('a shared document', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(() => test.remove());

  async function share(bytes: Buffer, filename: string) {
    const document = await upload(test, bytes, filename);
    const link = await makeLink(test, document.id, { allow_download: true });
    const page = await fetch(link.url);
    const cookie = page.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    const open = (route: string) => fetch(link.url + route, { headers: { cookie } });
    return { document, page, open };
  }

  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
  const active: [filename: string, bytes: string][] = [
    ['page.html', '<!doctype html><script>alert(1)</script>'],
    ['page.pdf', '<html><script>alert(1)</script></html>'],
    ['image.svg', svg],
    ['image.svg', `<?xml version="1.0"?>${svg}`],
    ['feed.xml', '<?xml version="1.0"?><a/>'],
    ['script.js', 'alert(1)'],
    ['image.png', 'no image'],
  ];
  it.each(active)(
    'that could act, such as %s, is never shown in place',
    async (filename, bytes) => {
      const { document, page, open } = await share(Buffer.from(bytes), filename);

      const file = await open('/file');
      const inApi = `${test.app.publicUrl}/api/v1/documents/${document.id}/file`;
      const downloads = [
        await open('/download'),
        await fetch(inApi, { headers: { authorization: `Bearer ${test.env.API_KEY}` } }),
      ];

      expect(await page.text()).not.toContain('<script');
      expect(file.status).toBe(403);
      for (const download of downloads) {
        expect(download.status).toBe(200);
        expect(Object.fromEntries(download.headers)).toMatchObject({
          'content-type': 'application/octet-stream',
          'content-disposition': expect.stringMatching(/^attachment; /),
          'x-content-type-options': 'nosniff',
          'content-security-policy': "default-src 'none'; sandbox",
        });
        expect(await download.text()).toBe(bytes);
      }
    },
  );

  it.each([
    ['a PDF', pdf, 'application/pdf'],
    ['an image', makePng(2, 2), 'image/png'],
  ])('that is %s is shown in place, without a trace in any cache', async (_, bytes, type) => {
    const { open } = await share(bytes, 'shown');

    const file = await open('/file');

    expect(Object.fromEntries(file.headers)).toMatchObject({
      'content-type': type,
      'content-disposition': expect.stringMatching(/^inline; /),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(bytes.equals(Buffer.from(await file.arrayBuffer()))).toBe(true);
  });

  it('has a page that nobody can frame, index, keep or script', async () => {
    const { page } = await share(pdf, 'terms.pdf');
    const gone = await fetch(`${test.app.publicUrl}/s/${'A'.repeat(22)}`);
    for (const one of [page, gone]) {
      expect(Object.fromEntries(one.headers)).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex, nofollow',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'cross-origin-opener-policy': 'same-origin',
      });
      const policy = one.headers.get('content-security-policy')?.split('; ') ?? [];
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("base-uri 'none'");
      expect(policy.join()).not.toMatch(/unsafe|\*|https?:|data:/);
      expect(await one.text()).not.toMatch(/<script>|\son\w+=|\sstyle=/);
    }
  });

  it('whose name is markup is still only a name', async () => {
    const name = '"><img src=x onerror=alert(1)>&amp;\'.pdf';
    const document = await upload(test, pdf, 'terms.pdf');
    await api(test, 'PATCH', `/documents/${document.id}`, { name });
    const link = await makeLink(test, document.id, { allow_download: true });

    const html = await (await fetch(link.url)).text();

    expect(html).not.toContain('<img');
    expect(html).toContain('&quot;&gt;&lt;img src=x onerror=alert(1)&gt;&amp;amp;&#39;.pdf');
  });
});

describe('the pass of a service behind HTTPS', () => {
  it('is sent over HTTPS only', async () => {
    const http = { host: '127.0.0.1', port: await freePort() };
    const publicUrl = 'https://share.example.com';
    const test = await startTestApp({ config: { http, publicUrl } });
    onTestFinished(() => test.remove());
    // The public address is that of a proxy which is not there; the app is asked where it listens.
    const direct = { ...test, app: { ...test.app, publicUrl: `http://127.0.0.1:${http.port}` } };
    const link = await makeLink(direct, (await upload(direct, pdf)).id);
    expect(link.url).toMatch(/^https:\/\/share\.example\.com\/s\//);

    const page = await fetch(link.url.replace(publicUrl, direct.app.publicUrl));

    expect(page.headers.get('set-cookie')).toContain('; Secure');
  });
});
