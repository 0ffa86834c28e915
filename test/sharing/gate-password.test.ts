import { expect, it } from 'vitest';
import { createPasswords } from '../../src/credentials/passwords.ts';
import { transact } from '../../src/storage/database.ts';
import { alertOf, fieldAskedBy, Visitor } from '../support/gate-visitor.ts';
import { useSecretDocument } from '../support/gated-document.ts';
import { describeFeature } from '../support/matrix.ts';
import { itHoldsFor } from '../support/rule.ts';
import { callSharingApi, type LinkFields } from '../support/sharing-api.ts';

const password = 'open sesame';

describeFeature('a link with a password', (dialect) => {
  const { app, clock, open, expectNothingOf } = useSecretDocument(dialect);
  const locked = (options = {}) => open({ password, ...options });
  const update = (link: LinkFields, change: object) =>
    callSharingApi<LinkFields>(app(), 'PATCH', `/links/${link.id}`, change);
  const views = async (link: LinkFields) =>
    (await callSharingApi<{ views: { email: string }[] }>(app(), 'GET', `/links/${link.id}/views`))
      .body.views;

  it('asks for it, and opens when it is correct', async () => {
    const link = await locked();
    expect(link).toMatchObject({ password_required: true, email_required: false });
    const visitor = new Visitor(link);
    expect(await visitor.asked()).toBe('Password');

    const answer = await visitor.post({ password });

    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      new URL(link.url).pathname,
    ]);
    expect(await visitor.asked()).toBe('document');
    expect((await visitor.get('/file')).status).toBe(200);
    expect(await views(link)).toMatchObject([{ email: '' }]);
  });

  const wrongPasswords = ['open sesame ', 'Open sesame', '', 'x'.repeat(100_000), "' or 1=1"];
  itHoldsFor([...wrongPasswords, 'open sesam\u0000'], 6)(
    'rejects a wrong password',
    async (wrong) => {
      const link = await locked();
      const visitor = new Visitor(link);

      const answer = await visitor.post({ password: wrong });

      expect(answer.status).toBe(wrong === '' ? 400 : 403);
      expect(alertOf(answer)).toMatch(/password/);
      expect(answer.text).toMatch(/<input[^>]* aria-describedby="error why" aria-invalid="true">/);
      expect(answer.text).not.toContain('x'.repeat(100));
      expect(visitor.cookies.size).toBe(0);
      await expectNothingOf(await fetch(`${link.url}/file`), wrong);
      expect(await views(link)).toEqual([]);
    },
  );

  it('accepts it in every Unicode composition that a keyboard may produce', async () => {
    const link = await locked({ password: 'Caf\u00e9 au lait \u2460' });
    const visitor = new Visitor(link);
    await visitor.post({ password: 'Cafe\u0301 au lait 1' });
    expect(await visitor.asked()).toBe('document');
  });

  it('accepts one that was set while shorter ones were allowed', async () => {
    const link = await locked({});
    const password_hash = await createPasswords().hash('short');
    const { db } = app().app.inside;
    await transact(db, async (trx) => {
      await trx.updateTable('links').set({ password_hash }).where('id', '=', link.id).execute();
    });
    const visitor = new Visitor(link);
    await visitor.post({ password: 'short' });
    expect(await visitor.asked()).toBe('document');
  });

  it('asks for the address after it, and remembers that it was correct', async () => {
    const link = await locked({ email_required: true });
    const visitor = new Visitor(link);
    // The address alone does not bypass the password.
    const early = await visitor.post({ email: 'reader@example.com' });
    expect([early.status, visitor.cookies.size]).toEqual([303, 0]);
    expect(await visitor.asked()).toBe('Password');

    await visitor.post({ password });

    expect(await visitor.asked()).toBe('Email address');
    expect([...visitor.cookies.keys()].sort()).toEqual(['latchkey_browser', 'latchkey_gate']);
    expect((await visitor.get('/file')).status).toBe(403);
    expect(await views(link)).toEqual([]);
    const wrong = await visitor.post({ email: 'reader' });
    expect([wrong.status, fieldAskedBy(wrong)]).toEqual([400, 'Email address']);
    expect(wrong.text).toContain('value="reader"');
    await visitor.post({ email: 'Reader@Example.com ' });
    expect(await visitor.asked()).toBe('document');
    expect(await views(link)).toMatchObject([{ email: 'reader@example.com' }]);
  });

  it('accepts both in one form, and says which one is wrong', async () => {
    const link = await locked({ email_required: true });
    const visitor = new Visitor(link);
    const email = 'reader@example.com';
    expect(fieldAskedBy(await visitor.post({ password: 'wrong', email }))).toBe('Password');
    const half = await visitor.post({ password, email: 'reader' });
    expect([half.status, fieldAskedBy(half)]).toEqual([400, 'Email address']);
    expect(await visitor.asked()).toBe('Email address');

    const other = new Visitor(link);
    expect((await other.post({ email, password })).status).toBe(303);
    expect(await other.asked()).toBe('document');
  });

  it('rejects a forged state and the cookie of another link', async () => {
    const link = await locked({ email_required: true });
    const other = await locked({ email_required: true });
    const visitor = new Visitor(link);
    await visitor.post({ password });
    const real = visitor.cookies.get('latchkey_gate') ?? '';
    const [body = '', mac = ''] = real.split('.');
    const signed = JSON.parse(Buffer.from(body, 'base64url').toString());
    const bodyOf = (change: object) =>
      Buffer.from(JSON.stringify({ ...signed, ...change })).toString('base64url');

    const stranger = new Visitor(other);
    stranger.cookies.set('latchkey_gate', real);
    expect(await stranger.asked()).toBe('Password');
    const forged = [
      body,
      `${body}.${'A'.repeat(43)}`,
      `${bodyOf({ expireTime: signed.expireTime + 1 })}.${mac}`,
      `${bodyOf({ value: { ...signed.value, email: 'other@example.com' } })}.${mac}`,
      '',
      '%',
    ];
    for (const value of forged) {
      for (const one of [link, other]) {
        const forger = new Visitor(one);
        forger.cookies.set('latchkey_gate', value);
        expect(await forger.asked(), value).toBe('Password');
      }
    }
    // Cookies of one kind are not accepted as another kind.
    const confused = new Visitor(link);
    for (const name of ['latchkey_access', 'latchkey_gate', 'latchkey_browser']) {
      confused.cookies.set(name, visitor.cookies.get('latchkey_browser') ?? '');
    }
    expect(await confused.asked()).toBe('Password');
    confused.cookies.clear();
    confused.cookies.set('latchkey_access', real);
    expect((await confused.get('/file')).status).toBe(403);

    clock.now += 30 * 60_000 - 1_000;
    expect(await visitor.asked()).toBe('Email address');
    clock.now += 1_000;
    expect(await visitor.asked()).toBe('Password');
  });

  it('sets cookies that only this link and no script can read', async () => {
    const link = await locked({ email_required: true });
    const body = new URLSearchParams({ password });
    const response = await fetch(link.url, { method: 'POST', body, redirect: 'manual' });

    const cookies = response.headers.getSetCookie().map((line) => line.split('; ').sort());

    const common = ['HttpOnly', `Path=${new URL(link.url).pathname}`, 'SameSite=Lax'];
    expect(cookies).toHaveLength(2);
    for (const attributes of cookies) expect(attributes).toEqual(expect.arrayContaining(common));
    expect(cookies.flat()).toEqual(expect.arrayContaining(['Max-Age=1800', 'Max-Age=7776000']));
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('rejects all earlier visitors after a new password, and accepts the new one', async () => {
    const link = await locked({ email_required: true });
    const [reader, halfway] = [new Visitor(link), new Visitor(link)];
    await reader.post({ password, email: 'reader@example.com' });
    await halfway.post({ password });
    expect(await reader.asked()).toBe('document');

    const updated = await update(link, { password: 'another one' });

    expect(updated).toMatchObject({
      status: 200,
      body: { url: link.url, password_required: true },
    });
    expect((await reader.get('/file')).status).toBe(403);
    for (const visitor of [reader, halfway]) {
      expect(await visitor.asked()).toBe('Password');
      expect(alertOf(await visitor.post({ password }))).toMatch(/Wrong password/);
      await visitor.post({ password: 'another one', email: 'reader@example.com' });
      expect(await visitor.asked()).toBe('document');
    }
  });

  it('loses it when set to null, can get one later, and else keeps it', async () => {
    const link = await locked();
    expect((await update(link, { name: 'Kept' })).body.password_required).toBe(true);
    expect(await new Visitor(link).asked()).toBe('Password');

    expect((await update(link, { password: null })).body.password_required).toBe(false);
    expect(await new Visitor(link).asked()).toBe('document');

    expect((await update(link, { password: 'set later' })).body.password_required).toBe(true);
    const visitor = new Visitor(link);
    expect(await visitor.asked()).toBe('Password');
    await visitor.post({ password: 'set later' });
    expect(await visitor.asked()).toBe('document');
    // A field that is not part of the gate does not affect visitors who have passed it.
    await update(link, { allow_download: false, name: 'Still' });
    expect(await visitor.asked()).toBe('document');
  });

  it('distinguishes unknown, revoked and expired links for every form', async () => {
    const link = await locked();
    const visitor = new Visitor(link);
    await visitor.post({ password });
    const unknown = new Visitor({ ...link, url: link.url.replace(/.{22}$/, 'A'.repeat(22)) });
    for (const fields of [{ password }, { password: 'wrong' }, { email: 'a@example.com' }]) {
      expect((await unknown.post(fields)).status).toBe(404);
    }
    clock.now += 1;
    await update(link, { expire_time: new Date(clock.now + 60_000).toISOString() });
    clock.now += 60_000;
    for (const one of [visitor, new Visitor(link)]) {
      expect((await one.post({ password })).status).toBe(410);
      expect((await one.post({ password: 'wrong' })).status).toBe(410);
      for (const route of ['', '/file', '/download']) {
        expect((await one.get(route)).status, route).toBe(410);
        expect((await one.get(route, { method: 'HEAD' })).status, route).toBe(410);
      }
    }
    // A later expiry restores the previous gate.
    await update(link, { expire_time: null });
    expect(await new Visitor(link).asked()).toBe('Password');
    await callSharingApi(app(), 'DELETE', `/links/${link.id}`);
    expect((await visitor.post({ password })).status).toBe(410);
  });
});
