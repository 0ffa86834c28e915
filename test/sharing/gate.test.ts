import { expect, it } from 'vitest';
import { cookieOf, secretPdf, useSecretDocument } from '../support/gated-document.ts';
import { openLink, readPages, reportView } from '../support/link-views.ts';
import { describeFeature } from '../support/matrix.ts';
import { itHoldsFor } from '../support/rule.ts';
import { callSharingApi, type LinkFields } from '../support/sharing-api.ts';

describeFeature('the gate of a link', (dialect) => {
  const { app, gated, open, pass, expectNothingOf } = useSecretDocument(dialect);

  const requests: [what: string, route: string, init: RequestInit][] = [
    ['the page', '', {}],
    ['the page by HEAD', '', { method: 'HEAD' }],
    ['the page with a query', '?email=reader@example.com', {}],
    ['the file', '/file', {}],
    ['the file by HEAD', '/file', { method: 'HEAD' }],
    ['a range of the file', '/file', { headers: { range: 'bytes=0-99' } }],
    ['a range beyond its end', '/file', { headers: { range: 'bytes=20000-' } }],
    ['the file with If-None-Match', '/file', { headers: { 'if-none-match': '*' } }],
    ['the file by POST', '/file', { method: 'POST', body: 'email=a@example.com' }],
    ['the download', '/download', {}],
    ['the download by HEAD', '/download', { method: 'HEAD' }],
    ['a range of the download', '/download', { headers: { range: 'bytes=-5' } }],
    [
      'the download with an invalid API key',
      '/download',
      { headers: { authorization: 'Bearer a' } },
    ],
    ['a path below the file', '/file/1', {}],
    ['the page by DELETE', '', { method: 'DELETE' }],
    ['the page by OPTIONS', '', { method: 'OPTIONS' }],
    ['a form without an address', '', { method: 'POST', body: new URLSearchParams() }],
    ['a form of another type', '', { method: 'POST', body: '{"email":"a@example.com"}' }],
  ];

  itHoldsFor(requests, 18)(
    'shows nothing of the document before it is passed',
    async (what, route, init) => {
      const link = await gated();

      const response = await fetch(link.url + route, { ...init, redirect: 'manual' });

      await expectNothingOf(response, what);
      const { body } = await callSharingApi(app(), 'GET', `/links/${link.id}`);
      expect(body).toMatchObject({ view_count: 0 });
    },
  );

  it('asks for an email address, and opens when it gets one', async () => {
    const link = await gated({ show_title: true });
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
      expect(secretPdf.equals(Buffer.from(await file.arrayBuffer())), route).toBe(true);
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
  itHoldsFor(addresses, 17)('refuses a bad email address with an error message', async (email) => {
    const link = await gated();
    const body = new URLSearchParams({ email });

    const response = await fetch(link.url, { method: 'POST', body, redirect: 'manual' });

    const html = await response.clone().text();
    await expectNothingOf(response, email);
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(html).toMatch(/<p class="error" id="error" role="alert">Enter an email address/);
    expect(html).toContain('name="email"');
    const views = await callSharingApi(app(), 'GET', `/links/${link.id}/views`);
    expect(views.body).toMatchObject({ views: [] });
  });

  it('sets a cookie that only this link and no script can read', async () => {
    const link = await gated();
    const body = new URLSearchParams({ email: 'reader@example.com' });
    const response = await fetch(link.url, { method: 'POST', body, redirect: 'manual' });

    const [value, ...attributes] = (response.headers.get('set-cookie') ?? '').split('; ');

    expect(value).toMatch(/^latchkey_access=[\w.-]+$/);
    expect(attributes.sort()).toEqual([
      'HttpOnly',
      'Max-Age=43200',
      `Path=${new URL(link.url).pathname}`,
      'SameSite=Lax',
    ]);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('answers unknown and malformed addresses alike, so that they cannot be guessed', async () => {
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
      const url = `${app().app.publicUrl}/s/${one}`;
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

    await callSharingApi(app(), 'PATCH', `/links/${link.id}`, { allow_download: true });
    const download = await fetch(`${link.url}/download`, { headers: { cookie } });
    expect(download.status).toBe(200);
    expect(download.headers.get('content-disposition')).toMatch(/^attachment; /);
    await download.arrayBuffer();
  });

  it('lets everyone in if it has no requirements, and counts a view per reader', async () => {
    const link = await open();
    const count = async () =>
      (await callSharingApi<LinkFields>(app(), 'GET', `/links/${link.id}`)).body.view_count;

    expect((await fetch(link.url, { method: 'HEAD' })).status).toBe(200);
    const page = await fetch(link.url);
    const cookie = cookieOf(page);
    expect([page.status, cookie !== '', await count()]).toEqual([200, true, 0]);
    // The page reports that it shows the document.
    expect((await reportView(link, cookie, readPages('0:0'))).status).toBe(204);
    expect(await count()).toBe(1);
    const again = await fetch(link.url, { headers: { cookie } });
    expect([again.status, again.headers.get('set-cookie')]).toEqual([200, null]);
    await (await fetch(`${link.url}/file`, { headers: { cookie } })).arrayBuffer();
    await reportView(link, cookie, readPages('1:1'));
    expect(await count()).toBe(1);
    await openLink(link);
    expect(await count()).toBe(2);
  });
});
