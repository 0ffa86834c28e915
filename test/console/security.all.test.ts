// Attacks with scripts, pages of other origins and URLs.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { heading } from '../support/browser-pages.ts';
import { openAccount } from '../support/console-menus.ts';
import { fillSignIn, useConsole } from '../support/console-suite.ts';
import { addMember } from '../support/member-rows.ts';
import { changeAsOtherProcess } from '../support/owner-rows.ts';
import { makePdf } from '../support/pdf.ts';
import { makeLink, upload } from '../support/sharing-api.ts';
import { addUser } from '../support/user-rows.ts';

const { app, workspaceId, visit, visitAs, staff, member } = useConsole();

const db = () => app().app.inside.db;
const publicUrl = () => app().app.publicUrl;

const sessionsOf = (userId: string) =>
  db().selectFrom('sessions').selectAll().where('user_id', '=', userId).execute();

describe('the token', () => {
  it('is kept in memory only, and scripts cannot read the cookie', async () => {
    const own = await staff();
    const { page, open } = await visit();
    const addresses: string[] = [];
    page.on('request', (request) => addresses.push(request.url()));
    await open('/sign-in');
    const answered = page.waitForResponse(/SessionService\/SignIn$/);
    await fillSignIn(page, own);
    const { accessToken } = (await (await answered).json()) as { accessToken: string };
    expect(accessToken).toMatch(/^eyJ/);
    await heading(page, 'Overview').waitFor();
    await page.getByRole('radio', { name: 'Dark' }).waitFor({ state: 'detached' });
    await openAccount(page);
    await page.getByRole('radio', { name: 'Dark' }).check();
    const cookies = await page.context().cookies();
    const session = cookies.find(({ name }) => name === 'latchkey_session');
    expect(session).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
    expect(cookies.every(({ httpOnly, sameSite }) => httpOnly && sameSite === 'Strict')).toBe(true);

    const stored = await page.evaluate<string[]>(`(async () => [
      ...Object.entries({ ...localStorage }).flat(),
      ...Object.entries({ ...sessionStorage }).flat(),
      ...(await indexedDB.databases()).map(({ name }) => name),
      ...(await caches.keys()),
      document.cookie,
      window.name,
      JSON.stringify(history.state),
    ])()`);
    expect(stored).toContain('dark');
    const readable = [...stored, ...addresses, await page.content()];
    for (const secret of [
      accessToken,
      accessToken.slice(-43),
      session?.value ?? '',
      own.password,
    ]) {
      expect(readable.filter((text) => text.includes(secret))).toEqual([]);
    }
    expect(readable.filter((text) => text.includes('latchkey_session'))).toEqual([]);
  });
});

describe('a page of another origin', () => {
  let server: Server;
  beforeAll(async () => {
    server = createServer((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><title>Elsewhere</title>');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const foreign = (host: string) => `http://${host}:${(server.address() as AddressInfo).port}/`;

  // Browsers send cookies to every port of a host, so the service must check the origin.
  const hosts = ['localhost', '127.0.0.1'];

  it('cannot send requests', async () => {
    const own = await staff();
    const { page, open, complaints } = await visitAs(own);
    await open('/account');
    for (const host of hosts) {
      await page.goto(foreign(host));
      const before = await sessionsOf(own.id);
      const results = await page.evaluate<string[]>(attack(publicUrl(), own.id));
      expect(new Set(results), host).toEqual(new Set(['refused', 'opaque']));
      expect(await sessionsOf(own.id), host).toEqual(before);
    }
    complaints.splice(0);

    await open('/account');
    await page.getByText(own.email).first().waitFor();
  });

  it('cannot submit forms', async () => {
    const own = await staff();
    const { page, complaints } = await visitAs(own);
    for (const host of hosts) {
      for (const path of [
        '/sessions/refresh',
        '/latchkey.identity.v1.SessionService/RefreshSession',
        '/latchkey.identity.v1.SessionService/SignOut',
      ]) {
        for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
          await page.goto(foreign(host));
          const before = await sessionsOf(own.id);
          const status = await postForm(page, `${publicUrl()}${path}`, type);
          expect(status, `${host} ${path} ${type}`).toBeGreaterThanOrEqual(400);
          expect(await sessionsOf(own.id), `${host} ${path} ${type}`).toEqual(before);
        }
      }
    }
    complaints.splice(0);
  });

  it('cannot frame the console', async () => {
    const { page, complaints } = await visitAs(await staff());
    for (const host of hosts) {
      await page.goto(foreign(host));
      await page.evaluate(`(() => {
        const frame = document.createElement('iframe');
        frame.src = '${publicUrl()}/console/account';
        document.body.append(frame);
      })()`);
      await expect
        .poll(() => complaints.join('\n'), { message: host })
        .toContain("frame-ancestors 'none'");
      expect(await page.frameLocator('iframe').getByRole('heading').count(), host).toBe(0);
      complaints.splice(0);
    }
  });

  it('cannot use the session of a window that it opens', async () => {
    const { page, complaints } = await visitAs(await staff());
    await page.goto(foreign('localhost'));
    const opened = page.waitForEvent('popup');
    await page.evaluate(`void (window.opened = open('${publicUrl()}/console/account'))`);
    await heading(await opened, 'Your account').waitFor();
    await expect.poll(() => page.evaluate('window.opened.closed')).toBe(true);
    complaints.splice(0);
  });
});

/** Tries all kinds of requests and returns what the page can read of each response. */
const attack = (origin: string, userId: string) => `(async () => {
  const service = '${origin}/latchkey.identity.v1.';
  const targets = [
    ['POST', service + 'SessionService/RefreshSession', '{}'],
    ['POST', service + 'SessionService/SignOut', '{}'],
    ['POST', service + 'SessionService/ListSessions', '{}'],
    ['POST', service + 'UserService/EnrolTotp', '{"userId":"${userId}"}'],
    ['POST', '${origin}/sessions/refresh', '{}'],
    ['DELETE', '${origin}/sessions/current', undefined],
    ['GET', '${origin}/sessions', undefined],
  ];
  const ways = [
    { mode: 'cors', headers: { 'content-type': 'application/json' } },
    { mode: 'cors', headers: { 'content-type': 'text/plain' } },
    { mode: 'no-cors', headers: { 'content-type': 'text/plain' } },
  ];
  const results = [];
  for (const [method, url, body] of targets) {
    for (const way of ways) {
      const request = { method, body, credentials: 'include', ...way };
      const result = await fetch(url, request).then(
        (response) => (response.type === 'opaque' ? 'opaque' : 'read ' + url),
        () => 'refused',
      );
      results.push(result);
    }
  }
  return results;
})()`;

/** Returns the HTTP status of a form submission. */
async function postForm(page: Page, action: string, enctype: string): Promise<number> {
  const answered = page.waitForResponse(action);
  await page.evaluate(`(() => {
    const form = document.createElement('form');
    Object.assign(form, { method: 'post', action: '${action}', enctype: '${enctype}' });
    const field = document.createElement('input');
    Object.assign(field, { name: '{"a":"', value: '"}' });
    form.append(field);
    document.body.append(form);
    form.submit();
  })()`);
  const response = await answered;
  await response.finished();
  return response.status();
}

it('the URL after the sign-in is one of the console', async () => {
  const { page, requests } = await visitAs(await staff());
  for (const next of [
    'https://example.com/console/account',
    '//example.com/console/account',
    '/\\example.com/console/account',
    'javascript:alert(1)//console/',
    '/console/../errors',
    '/console/%2e%2e/errors',
    '/errors',
    'http://[',
  ]) {
    await page.goto(`${publicUrl()}/console/sign-in?next=${encodeURIComponent(next)}`);
    await heading(page, 'Overview').waitFor();
    expect(page.url(), next).toBe(`${publicUrl()}/console/overview`);
  }
  expect(requests.filter((one) => one === 'GET /errors')).toEqual([]);
});

describe('a script', () => {
  const hostile = '<img src=x onerror="window.ran=1"><script>window.ran=1</script>';

  it('in the name of a user or document is shown as text', async () => {
    const own = await addUser(db(), { kind: 'member', name: hostile });
    await addMember(db(), workspaceId(), 'admin', own.id);
    await changeAsOtherProcess(db(), (trx) =>
      trx
        .updateTable('workspaces')
        .set({ name: hostile })
        .where('id', '=', workspaceId())
        .execute(),
    );
    const document = await upload(app(), makePdf({ pages: 1, text: 'Terms' }), `${hostile}.pdf`);
    const link = await makeLink(app(), document.id, { name: hostile });
    const { page, open } = await visitAs(own);
    const below = `/workspaces/${workspaceId()}`;
    for (const path of [
      '/account',
      '/workspaces',
      `${below}/documents`,
      `${below}/documents/${document.id}`,
      `${below}/documents/${document.id}/links`,
      `${below}/documents/${document.id}/preview`,
      `${below}/links/${link.id}`,
      `${below}/members`,
      `${below}/settings/general`,
    ]) {
      await open(path);
      expect(await page.locator('img[src=x]').count()).toBe(0);
      expect(await page.evaluate('window.ran')).toBeUndefined();
    }
    await open('/account');
    await page.getByText(hostile).first().waitFor();
  });

  it('that is injected into the HTML does not run', async () => {
    const { page, open, complaints } = await visitAs(await member('member'));
    const injected = '<script>window.ran = 1</script><img src="/x" onerror="window.ran = 1">';
    await page.route('**/console/account', async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace('</body>', `${injected}</body>`);
      await route.fulfill({ response, body });
    });
    await open('/account');
    await expect.poll(() => complaints.filter((one) => one.includes('script-src')).length).toBe(2);
    expect(await page.evaluate('window.ran')).toBeUndefined();
    complaints.splice(0);
  });

  it('that other code adds to the page does not run', async () => {
    const { page, open, complaints } = await visitAs(await member('member'));
    await open('/account');
    const errors = await page.evaluate<string[]>(`
      [
        (script) => { script.textContent = 'window.ran = 1'; },
        (script) => { script.src = '/assets/other.js'; },
        () => { document.body.innerHTML = '<img src="/x" onerror="window.ran = 1">'; },
        () => { document.body.setAttribute('onclick', 'window.ran = 1'); },
      ].map((attempt) => {
        const script = document.createElement('script');
        try { return attempt(script); } catch (error) { return error.message; }
      })
    `);
    expect(errors).toHaveLength(4);
    for (const error of errors) expect(error).toMatch(/Trusted|markup/);
    expect(await page.evaluate('window.ran')).toBeUndefined();
    complaints.splice(0);
  });
});
