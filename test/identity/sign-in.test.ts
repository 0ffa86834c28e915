import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { createPasswords } from '../../src/credentials/passwords.ts';
import { createSignInCheck } from '../../src/identity/sessions/sign-in-check.ts';
import { recoveryCodeDigest } from '../../src/identity/users/recovery-codes.ts';
import { roleScopes } from '../../src/sharing/workspaces/roles.ts';
import { transact } from '../../src/storage/database.ts';
import type { Database, UserRow } from '../../src/storage/schema/schema.ts';
import { describeApp, startPlace } from '../support/app-suite.ts';
import { CookieClient, forgetAttempts } from '../support/cookie-client.ts';
import { callJson } from '../support/json-calls.ts';
import { describeOneTransport } from '../support/matrix.ts';
import { addWorkspace, changeAsOtherProcess, updateRow } from '../support/owner-rows.ts';
import { addTotp, addUser } from '../support/user-rows.ts';

const password = 'correct horse battery staple';
const scopes = 'users:read users:write clients:read';

describeApp('signing in', (suite) => {
  const db = () => suite.app.inside.db;
  const add = (user: Parameters<typeof addUser>[1] = {}) =>
    addUser(db(), { scopes, password, ...user });

  forgetAttempts(suite);

  function addRole({ id }: UserRow, workspace_id: string, role: 'admin' | 'member') {
    const row = { workspace_id, user_id: id, role, create_time: Date.now() };
    return changeAsOtherProcess(db(), (trx) => trx.insertInto('members').values(row).execute());
  }
  async function refreshedScopes(browser: CookieClient): Promise<Set<string>> {
    const answer = await browser.refresh();
    if (!answer.ok) throw new Error(`refused: ${answer.error.code}`);
    return new Set(answer.message.scope.split(' '));
  }

  describeOneTransport(suite, (name) => {
    const browser = () => new CookieClient(suite.transport(name));

    it('issues a token with the user, the time and the methods of the sign-in', async () => {
      const user = await add({ name: 'Ada' });
      const before = Math.floor(Date.now() / 1000);

      const answer = await browser().signedIn(from(user));

      const { id, email } = user;
      expect(answer).toMatchObject({
        tokenType: 'Bearer',
        expiresIn: 300,
        scope: scopes,
        user: { id, email, name: 'Ada', kind: 'staff' },
      });
      const { iat = 0, jti, sid, auth_time, ...claims } = decodeJwt(answer.accessToken);
      expect(jti).toMatch(/^[\w-]{22,}$/);
      expect(sid).toMatch(/^ses_[0-9A-Za-z]{22}$/);
      expect(auth_time).toBeGreaterThanOrEqual(before);
      expect(auth_time).toBeLessThanOrEqual(iat);
      expect(claims).toEqual({
        iss: suite.app.publicUrl,
        aud: suite.app.publicUrl,
        sub: id,
        client_id: 'latchkey',
        exp: iat + 300,
        scope: scopes,
        principal_type: 'staff',
        amr: ['pwd'],
      });
    });

    it('sets a cookie that is HttpOnly, SameSite and for its path only', async () => {
      const ada = browser();
      await ada.signedIn(from(await add()));

      const session = ada.set.find((one) => one.startsWith('latchkey_session='));
      const [value, ...attributes] = (session ?? '').split('; ');
      expect(value).toMatch(/^latchkey_session=ses_[0-9A-Za-z]{22}\.[0-9A-Za-z]{43}$/);
      expect(attributes.sort()).toEqual(['HttpOnly', 'Max-Age=43200', 'Path=/', 'SameSite=Strict']);
    });

    it('issues a token without scopes to a member without workspaces', async () => {
      const answer = await browser().signedIn(from(await add({ kind: 'member' })));

      expect(answer).toMatchObject({ scope: '', user: { kind: 'member' } });
      expect(decodeJwt(answer.accessToken)).toMatchObject({ principal_type: 'member', scope: '' });
    });

    it('gives a member the scopes of all roles, and of new roles at the next refresh', async () => {
      const user = await add({ kind: 'member' });
      const { ownerId } = await addWorkspace(db(), '');
      await addRole(user, ownerId, 'member');
      const ada = browser();
      const { scope, accessToken } = await ada.signedIn(from(user));
      expect(new Set(scope.split(' '))).toEqual(roleScopes.member);
      expect(decodeJwt(accessToken)).toMatchObject({ scope });

      await addRole(user, (await addWorkspace(db(), '')).ownerId, 'admin');
      await expect.poll(() => refreshedScopes(ada), { interval: 50 }).toEqual(roleScopes.admin);
    });

    it('accepts the address in any case', async () => {
      const user = await add({ email: `Grace.${name}@Example.com` });
      expect(user.email).toBe(`grace.${name}@example.com`);

      await browser().signedIn({ email: `gRACE.${name}@eXAMPLE.com`, password });
    });

    it('accepts a password of 1,024 bytes in any Unicode composition', async () => {
      const composed = `${'\u00e9'.repeat(400)}\u2126${'x'.repeat(100)}`;
      const decomposed = `${'e\u0301'.repeat(300)}${'\u00e9'.repeat(12)}${'x'.repeat(100)}`;
      const user = await add({ password: `${'\u00e9'.repeat(312)}${'x'.repeat(100)}` });
      expect(Buffer.byteLength(decomposed)).toBe(1024);
      await browser().signedIn({ email: user.email, password: decomposed });

      const other = await add({ password: composed });
      const compatible = composed.replace('\u2126', '\u03a9');
      await browser().signedIn({ email: other.email, password: compatible });
    });

    it('accepts a one-time code, and records it in the token', async () => {
      const withApp = await add();
      const code = await addTotp(suite.testApp, withApp.id);
      const otp = code(Date.now()).replace(/^(...)/, '$1 ');

      const { accessToken } = await browser().signedIn({ ...from(withApp), otp });

      expect(decodeJwt(accessToken).amr).toEqual(['pwd', 'otp', 'mfa']);
    });

    it('requires no code before the second factor is confirmed', async () => {
      const user = await add();
      await addTotp(suite.testApp, user.id, { confirmed: false });

      const { accessToken } = await browser().signedIn(from(user));

      expect(decodeJwt(accessToken).amr).toEqual(['pwd']);
    });

    it('accepts a code once, even in concurrent requests', async () => {
      const withApp = await add();
      const code = await addTotp(suite.testApp, withApp.id);
      const request = { ...from(withApp), otp: code(Date.now()) };

      const answers = await Promise.all([1, 2, 3, 4].map(() => browser().signIn(request)));

      expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
      expect(await browser().signIn(request)).toMatchObject({
        error: { code: 'identity.code_invalid' },
      });
    });
  });

  describe('over HTTP', () => {
    it('answers with a flat body and no-store', async () => {
      const user = await add();
      const response = await callJson(suite.app, 'POST', '/sessions', from(user));

      expect(response.headers.get('cache-control')).toBe('no-store');
      const { id, email, name } = user;
      expect(response.body).toEqual({
        access_token: expect.stringMatching(/^eyJ/),
        token_type: 'Bearer',
        expires_in: 300,
        scope: scopes,
        user: { id, email, name, kind: 'staff' },
      });
    });

    it('does not accept GET, which would put the password in the URL', async () => {
      const known = await add();
      const message = encodeURIComponent(JSON.stringify(from(known)));
      for (const path of [
        `/latchkey.identity.v1.SessionService/SignIn?connect=v1&encoding=json&message=${message}`,
        `/sessions?email=${known.email}&password=${password}`,
      ]) {
        const response = await fetch(suite.app.publicUrl + path);
        expect(response.ok, path).toBe(false);
        expect(response.headers.get('set-cookie')).toBeNull();
      }
    });
  });

  it('does not start a session if the password or the state of the user changes', async () => {
    const passwords = createPasswords();
    const check = createSignInCheck({
      db: db(),
      passwords,
      matchTotpStep: () => undefined,
      recoveryCodeDigest,
      localPasswords: true,
    });
    const changes = [
      async () => ({ password_hash: await passwords.hash('another') }),
      async () => ({ disable_time: Date.now() }),
    ];
    for (const change of changes) {
      const user = await add();
      const { settle } = await check({
        email: user.email,
        password,
        otp: '',
        isKnownBrowser: false,
        network: '192.0.2.1',
      });
      await transact(db(), settle);

      await update(db(), user, await change());

      await expect(transact(db(), settle)).rejects.toMatchObject({
        code: 'identity.credential_invalid',
        extra: { target: user.id },
      });
    }
  });
});

it('sets __Host- cookies that are Secure if the public URL is https', async () => {
  const config = { publicUrl: 'https://latchkey.test' };
  const { testApp, transport } = await startPlace({ config });
  const ada = new CookieClient(transport('grpc'));
  const { STAFF_EMAIL: email, STAFF_PASSWORD: password } = testApp.env;
  await ada.signedIn({ email, password });

  expect(ada.set.map((header) => header.split('=', 1)[0])).toEqual([
    '__Host-latchkey_session',
    '__Host-latchkey_device',
  ]);
  for (const header of ada.set) {
    const [, ...attributes] = header.split('; ');
    expect(attributes).toEqual(expect.arrayContaining(['Secure', 'HttpOnly', 'Path=/']));
    expect(header).not.toMatch(/domain/i);
  }
  expect(await ada.refresh()).toMatchObject({ ok: true });
  // The same value under another name is ignored.
  ada.setCookie('latchkey_session', ada.cookie('__Host-latchkey_session'));
  ada.setCookie('__Host-latchkey_session', undefined);
  expect(await ada.refresh()).toMatchObject({ error: { code: 'unauthenticated' } });
});

function from({ email }: UserRow) {
  return { email, password };
}

function update(db: Database, { id }: UserRow, change: Partial<UserRow>): Promise<void> {
  return updateRow(db, 'users', id, change);
}
