import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { lastCode, Visitor } from '../support/gate-visitor.ts';
import { cookieOf, useSecretDocument } from '../support/gated-document.ts';
import { startTestApp } from '../support/harness.ts';
import { describeFeature } from '../support/matrix.ts';
import {
  callSharingApi,
  type LinkFields,
  makeLink,
  sha256,
  upload,
} from '../support/sharing-api.ts';

const hours = 3_600_000;

const readerForm = (email: string) => ({
  ...{ method: 'POST', redirect: 'manual' as const },
  body: new URLSearchParams({ email }),
});

describeFeature('the gate of a link rejects an access session', (dialect) => {
  const { app, clock, gated, open, pass, expectNothingOf } = useSecretDocument(dialect);

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

  it('that was forged, truncated or extended', async () => {
    const link = await gated();
    const cookie = await pass(link);
    const [, head = '', body = '', mac = ''] =
      /^(latchkey_access=)([\w-]+)\.([\w-]{43})$/.exec(cookie) ?? [];
    const signed = JSON.parse(Buffer.from(body, 'base64url').toString());
    const bodyOf = (change: object, value: object = {}) =>
      Buffer.from(
        JSON.stringify({ ...signed, ...change, value: { ...signed.value, ...value } }),
      ).toString('base64url');
    const flipped = `${mac.startsWith('A') ? 'B' : 'A'}${mac.slice(1)}`;
    const forged = [
      `${head}${body}.${flipped}`,
      `${head}${bodyOf({ expireTime: signed.expireTime + 1 })}.${mac}`,
      `${head}${bodyOf({}, { startMs: signed.value.startMs + 1 })}.${mac}`,
      `${head}${bodyOf({}, { emailVerified: true })}.${mac}`,
      `${head}${bodyOf({}, { email: 'other@example.com' })}.${mac}`,
      `${head}${bodyOf({}, { viewId: `viw_${'0'.repeat(22)}` })}.${mac}`,
      `${head}${body}`,
      `${head}${body}.`,
      `${head}${body}.${'A'.repeat(43)}`,
      `${head}${body}.${'€'.repeat(14)}`,
      `${head}.${mac}`,
      `${head}${body}${body}.${mac}`,
      cookie.slice(0, -1),
      `${cookie}A`,
      `${cookie}=`,
      head,
      'latchkey_access',
      `${head}%`,
      `${head}"`,
      `x=${cookie}`,
      `LATCHKEY_ACCESS=${cookie.slice(head.length)}`,
    ];
    for (const one of forged) await expectClosed(link, Buffer.from(one).toString('latin1'));
  });

  it('after twelve hours', async () => {
    const link = await gated();
    const cookie = await pass(link);
    clock.now += 12 * hours - 2000;
    const opened = await fetch(`${link.url}/file`, { headers: { cookie } });
    await opened.arrayBuffer();
    expect(opened.status).toBe(200);

    clock.now += 2000;

    await expectClosed(link, cookie);
  });

  it('after the link was revoked', async () => {
    const link = await gated();
    const cookie = await pass(link);
    await callSharingApi(app(), 'DELETE', `/links/${link.id}`);

    await expectClosed(link, cookie, 410);

    const page = await fetch(link.url, { headers: { cookie } });
    expect(page.status).toBe(410);
    expect(await page.text()).toContain('no longer available');
    const again = await fetch(link.url, readerForm('reader@example.com'));
    expect(again.status).toBe(410);
    await expectNothingOf(again, 'a form after the revocation');
  });

  it('as soon as the link expires', async () => {
    const end = clock.now + hours;
    const link = await gated({ expire_time: new Date(end).toISOString() });
    const cookie = await pass(link);
    clock.now = end - 1;
    const opened = await fetch(`${link.url}/file`, { headers: { cookie } });
    await opened.arrayBuffer();
    expect(opened.status).toBe(200);

    clock.now = end;

    await expectClosed(link, cookie, 410);
    // A later expiry makes the access session valid again.
    const longer = { expire_time: new Date(end + hours).toISOString() };
    expect((await callSharingApi(app(), 'PATCH', `/links/${link.id}`, longer)).status).toBe(200);
    const back = await fetch(`${link.url}/file`, { headers: { cookie } });
    await back.arrayBuffer();
    expect(back.status).toBe(200);
  });

  it('of a reader who was erased, until the reader passes the gate again', async () => {
    const [link, other] = [await gated(), await gated()];
    const cookies = [await pass(link), await pass(other)] as const;
    const own = cookieOf(await fetch(link.url, readerForm('else@example.com')));
    const statusOf = async (cookie: string) => {
      const response = await fetch(`${link.url}/file`, { headers: { cookie } });
      await response.arrayBuffer();
      return response.status;
    };
    const erase = async () => {
      // Without a link, a mail or a view with the address, it is unknown.
      await open({ name: 'For reader@example.com' });
      const erased = await callSharingApi(app(), 'DELETE', '/visitors/Reader@example.com');
      expect(erased.status).toBe(200);
    };

    await erase();

    await expectClosed(link, cookies[0]);
    await expectClosed(other, cookies[1]);
    expect(await statusOf(own)).toBe(200);
    clock.now += 1;
    const again = await pass(link);
    expect(await statusOf(again)).toBe(200);
    clock.now += 1;
    await erase();
    await expectClosed(link, again);
    const rows = await app().app.inside.db.selectFrom('revoked_tokens').selectAll().execute();
    expect(rows).toEqual([
      expect.objectContaining({ expire_time: clock.now + 12 * hours, jti: expect.any(String) }),
    ]);
    expect(JSON.stringify(rows)).not.toContain('reader');
  });

  it('of a reader who was erased between the code and the agreement', async () => {
    const agreement = 'The terms.';
    const link = await open({ agreement });
    const email = 'signer@example.com';
    const form = { agreement: sha256(Buffer.from(agreement)) };
    const reader = new Visitor(link);
    const verify = async () => {
      await reader.post({ email });
      await reader.post({ code: await lastCode(app(), email) });
    };
    await verify();
    await open({ name: `For ${email}` });
    expect((await callSharingApi(app(), 'DELETE', `/visitors/${email}`)).status).toBe(200);

    await reader.post(form);

    await expectClosed(link, reader.cookie);
    const agreements = app().app.inside.db.selectFrom('agreements').select('email');
    expect(await agreements.execute()).toEqual([]);
    clock.now += 60_000;
    await verify();
    expect((await reader.post(form)).status).toBe(303);
    expect(await agreements.execute()).toEqual([{ email }]);
  });

  it('from before a change of the gate', async () => {
    const link = await open();
    const cookie = cookieOf(await fetch(link.url));
    const renamed = await callSharingApi(app(), 'PATCH', `/links/${link.id}`, { name: 'No gate' });
    expect(renamed.status).toBe(200);
    const opened = await fetch(`${link.url}/file`, { headers: { cookie } });
    await opened.arrayBuffer();
    expect(opened.status).toBe(200);

    await callSharingApi(app(), 'PATCH', `/links/${link.id}`, { email_required: true });

    await expectClosed(link, cookie);
    const second = await pass(link);
    await callSharingApi(app(), 'PATCH', `/links/${link.id}`, { email_required: true });
    await expectClosed(link, second);
  });
});

describe('the access session of a service behind HTTPS', () => {
  it('is sent over HTTPS only', async () => {
    const http = { host: '127.0.0.1', port: await freePort() };
    const publicUrl = 'https://share.example.com';
    const test = await startTestApp({ config: { http, publicUrl } });
    onTestFinished(() => test.remove());
    // The public address belongs to a proxy that does not exist, so the test uses the app's
    // address.
    const direct = { ...test, app: { ...test.app, publicUrl: `http://127.0.0.1:${http.port}` } };
    const link = await makeLink(direct, (await upload(direct, Buffer.from('shared'))).id);
    expect(link.url).toMatch(/^https:\/\/share\.example\.com\/s\//);

    const page = await fetch(link.url.replace(publicUrl, direct.app.publicUrl));

    expect(page.headers.get('set-cookie')).toContain('; Secure');
  });
});
