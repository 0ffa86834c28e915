import { decodeJwt } from 'jose';
import { expect, it } from 'vitest';
import { SessionService } from '../../gen/latchkey/identity/v1/session_pb.js';
import { VerificationService } from '../../gen/latchkey/identity/v1/verification_pb.js';
import { describeApp } from '../support/app-suite.ts';
import { CookieClient, forgetAttempts } from '../support/cookie-client.ts';
import { codeOf, messageOf } from '../support/manager-calls.ts';
import { describeOneTransport } from '../support/matrix.ts';
import { updateRow } from '../support/owner-rows.ts';
import { itHoldsFor } from '../support/rule.ts';
import { addSession, addTotp, addUser } from '../support/user-rows.ts';

const { listSessions, refreshSession, revokeSession, signOut } = SessionService.method;
const { verifyToken } = VerificationService.method;

const password = 'correct horse battery staple';
const minute = 60_000;
const hour = 60 * minute;

describeApp('a session', (suite) => {
  const db = () => suite.app.inside.db;
  const add = () => addUser(db(), { scopes: 'tokens:read users:read', password });

  forgetAttempts(suite);

  describeOneTransport(suite, (name) => {
    const browser = () => new CookieClient(suite.transport(name));
    async function signedIn() {
      const user = await add();
      const ada = browser();
      const { accessToken } = await ada.signedIn({ email: user.email, password });
      return { user, ada, accessToken, authorization: `Bearer ${accessToken}` };
    }
    async function refreshed(ada: CookieClient) {
      return messageOf(await ada.refresh());
    }
    /** The code of a call with the token, which verifies the token itself. */
    async function use(accessToken: string, transport = suite.transport(name)): Promise<string> {
      const authorization = `Bearer ${accessToken}`;
      return codeOf(await transport.call(verifyToken, { token: accessToken }, { authorization }));
    }

    it('issues tokens with the time of the sign-in, not of the refresh', async () => {
      const start = Math.ceil(Date.now() / 1000) * 1000;
      suite.clock.frozen = start;
      const user = await add();
      const code = await addTotp(suite.testApp, user.id);
      const ada = browser();
      const first = await ada.signedIn({ email: user.email, password, otp: code(start) });
      suite.clock.frozen = start + 10 * minute;

      const second = await refreshed(ada);

      expect(second).toMatchObject({ tokenType: 'Bearer', expiresIn: 300, user: { id: user.id } });
      const [was, is] = [decodeJwt(first.accessToken), decodeJwt(second.accessToken)];
      const lasting = ({ sub, sid, auth_time, amr }: typeof was) => ({ sub, sid, auth_time, amr });
      expect(lasting(is)).toEqual(lasting(was));
      expect(is).toMatchObject({ auth_time: start / 1000, amr: ['pwd', 'otp', 'mfa'] });
      expect(is).toMatchObject({ iat: start / 1000 + 600, exp: start / 1000 + 900 });
      expect(is.jti).not.toBe(was.jti);
    });

    it('ends after an hour without a refresh', async () => {
      const start = Date.now();
      suite.clock.frozen = start;
      const { ada } = await signedIn();
      suite.clock.frozen = start + hour - 1;
      await refreshed(ada);
      suite.clock.frozen = start + 2 * hour - 2;
      await refreshed(ada);
      suite.clock.frozen += hour;

      expect(await ada.refresh()).toMatchObject({ error: { code: 'unauthenticated' } });
    });

    it('ends twelve hours after the sign-in, and no token outlives it', async () => {
      const start = Math.ceil(Date.now() / 1000) * 1000;
      suite.clock.frozen = start;
      const { ada } = await signedIn();
      for (let halves = 1; halves < 24; halves++) {
        suite.clock.frozen = start + halves * 30 * minute;
        expect(await refreshed(ada)).toMatchObject({ expiresIn: 300 });
      }
      for (const left of [301, 300, 120, 1]) {
        suite.clock.frozen = start + 12 * hour - left * 1000;
        const { accessToken, expiresIn } = await refreshed(ada);
        expect(expiresIn).toBe(Math.min(300, left));
        expect((decodeJwt(accessToken).exp ?? 0) * 1000).toBeLessThanOrEqual(start + 12 * hour);
      }
      suite.clock.frozen = start + 12 * hour;

      expect(await ada.refresh()).toMatchObject({ error: { code: 'unauthenticated' } });
    });

    itHoldsFor(['the token', 'the cookie'])('ends with a sign-out', async (by) => {
      const { ada, accessToken, authorization } = await signedIn();
      const cookie = `latchkey_session=${ada.cookie('latchkey_session')}`;
      expect(await use(accessToken)).toBe('ok');

      const answer = await ada.call(signOut, {}, by === 'the token' ? { authorization } : {});

      expect(answer).toMatchObject({ ok: true });
      expect(ada.set).toEqual(['latchkey_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict']);
      expect(await use(accessToken)).toBe('unauthenticated');
      const transport = suite.transport(name);
      for (const method of [refreshSession, signOut, listSessions]) {
        expect(await transport.call(method, {}, { cookie })).toMatchObject({
          error: { code: 'unauthenticated' },
        });
      }
    });

    it('is not found for a cookie that differs in any character', async () => {
      const [one, other] = [await signedIn(), await signedIn()];
      const [id = '', secret = ''] = (one.ada.cookie('latchkey_session') ?? '').split('.');
      const [, otherSecret = ''] = (other.ada.cookie('latchkey_session') ?? '').split('.');
      for (const value of [
        '',
        id,
        `${id}.`,
        `${id}.${otherSecret}`,
        `${id}.${secret.slice(0, -1)}`,
        `${id}.${secret}0`,
        `ses_${'0'.repeat(22)}.${secret}`,
        `${id}.${secret.split('').reverse().join('')}`,
        one.accessToken,
      ]) {
        const cookie = `latchkey_session=${value}`;
        const answer = await suite.transport(name).call(refreshSession, {}, { cookie });
        expect(answer, value).toMatchObject({ error: { code: 'unauthenticated' } });
      }
      await refreshed(one.ada);
    });

    it('is not used for a call with a bearer credential, good or bad', async () => {
      const [one, other] = [await signedIn(), await signedIn()];
      const bad = { authorization: 'Bearer garbage' };
      for (const method of [signOut, listSessions]) {
        expect(await one.ada.call(method, {}, bad)).toMatchObject({
          error: { code: 'unauthenticated' },
        });
      }
      const { authorization } = other;
      const theirs = await one.ada.call(listSessions, {}, { authorization });
      expect(theirs).toMatchObject({
        message: { sessions: [{ id: decodeJwt(other.accessToken).sid, current: true }] },
      });
      // A refresh reads only the cookie.
      expect(await one.ada.call(refreshSession, {}, { authorization })).toMatchObject({
        message: { user: { id: one.user.id } },
      });
    });

    it('is not found for a request from another origin', async () => {
      const { ada, authorization } = await signedIn();
      for (const origin of ['https://evil.example', 'null', `${suite.app.publicUrl}.example`]) {
        for (const method of [refreshSession, signOut, listSessions]) {
          const answer = await ada.call(method, {}, { origin });
          expect(answer, origin).toMatchObject({ error: { code: 'unauthenticated' } });
        }
      }
      const origin = suite.app.publicUrl;
      expect(await ada.call(refreshSession, {}, { origin })).toMatchObject({ ok: true });
      // Browsers do not send bearer tokens on their own.
      const bearer = { authorization, origin: 'https://spa.example' };
      expect(await ada.call(listSessions, {}, bearer)).toMatchObject({ ok: true });
    });

    it("replaces the browser's earlier session", async () => {
      const { user, ada, accessToken } = await signedIn();
      const elsewhere = browser();
      const other = await elsewhere.signedIn({ email: user.email, password });

      const again = await ada.signedIn({ email: user.email, password });

      expect(await use(accessToken)).toBe('unauthenticated');
      expect(await use(other.accessToken)).toBe('ok');
      expect(await use(again.accessToken)).toBe('ok');
      expect(decodeJwt(again.accessToken).sid).not.toBe(decodeJwt(accessToken).sid);
    });

    it('is listed to its user, who can end it there', async () => {
      const { user, ada, accessToken } = await signedIn();
      const phone = browser();
      const lost = await phone.signedIn({ email: user.email, password });
      const [mine, theirs] = [decodeJwt(accessToken).sid, decodeJwt(lost.accessToken).sid];

      const listed = await ada.call(listSessions, {});
      if (!listed.ok) throw new Error(`refused: ${listed.error.code}`);
      expect(listed.message.sessions).toHaveLength(2);
      expect(listed.message.sessions).toMatchObject([
        { id: theirs, current: false, amr: ['pwd'] },
        { id: mine, current: true, amr: ['pwd'] },
      ]);
      expect(await ada.call(revokeSession, { sessionId: String(theirs) })).toMatchObject({
        ok: true,
      });

      expect(await use(lost.accessToken)).toBe('unauthenticated');
      expect(await phone.refresh()).toMatchObject({ error: { code: 'unauthenticated' } });
      expect(await use(accessToken)).toBe('ok');
      expect(await ada.call(revokeSession, { sessionId: String(theirs) })).toMatchObject({
        error: { code: 'not_found' },
      });
    });

    it('is listed only until it expires', async () => {
      suite.clock.frozen = Date.now();
      const { user } = await signedIn();
      suite.clock.frozen += 2 * hour;
      const phone = browser();
      const { accessToken } = await phone.signedIn({ email: user.email, password });

      const listed = await phone.call(listSessions, {});
      if (!listed.ok) throw new Error(`refused: ${listed.error.code}`);
      expect(listed.message.sessions.map(({ id }) => id)).toEqual([decodeJwt(accessToken).sid]);
    });

    it('cannot be listed or ended by another user', async () => {
      const [one, other] = [await signedIn(), await signedIn()];
      const sessionId = String(decodeJwt(one.accessToken).sid);

      const { authorization } = other;
      for (const id of [sessionId, `ses_${'0'.repeat(22)}`, 'current']) {
        const answer = await other.ada.call(revokeSession, { sessionId: id }, { authorization });
        // `DELETE /sessions/current` is the path of another method.
        if (id === 'current' && name === 'http') expect(answer).toMatchObject({ ok: true });
        else expect(answer, id).toMatchObject({ error: { code: 'not_found' } });
      }
      expect(await use(one.accessToken)).toBe('ok');
    });

    it("ends with its user, and follows the user's scopes", async () => {
      const { user, ada, accessToken } = await signedIn();
      const change = (set: { scopes?: string; disable_time?: number }) =>
        updateRow(db(), 'users', user.id, set);
      const within1s = { timeout: 10_000, interval: 50 };
      expect(await use(accessToken)).toBe('ok');

      await change({ scopes: 'users:read' });
      await expect.poll(() => use(accessToken), within1s).toBe('forbidden');
      expect(await refreshed(ada)).toMatchObject({ scope: 'users:read' });

      await change({ disable_time: Date.now() });
      await expect.poll(() => use(accessToken), within1s).toBe('unauthenticated');
      expect(await ada.refresh()).toMatchObject({ error: { code: 'unauthenticated' } });
    });
  });

  it('is one of at most a hundred of its user', async () => {
    const user = await add();
    const old = await addSession(db(), user.id, { createTime: Date.now() - 2000 });
    for (let i = 0; i < 99; i++) await addSession(db(), user.id);
    const ended = async () => {
      const rows = await db()
        .selectFrom('sessions')
        .select('id')
        .where('user_id', '=', user.id)
        .where('revoke_time', 'is not', null)
        .execute();
      return rows.map(({ id }) => id);
    };

    await new CookieClient(suite.transport('http')).signedIn({ email: user.email, password });

    expect(await ended()).toEqual([old.id]);
  });
});
