import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UserService } from '../../gen/latchkey/identity/v1/user_pb.js';
import { matchTotpStep } from '../../src/identity/users/totp.ts';
import { transact } from '../../src/storage/database.ts';
import { useAdministrator } from '../support/administrator.ts';
import { describeApp } from '../support/app-suite.ts';
import { describeOneTransport } from '../support/matrix.ts';
import { credentialFor, liveSessions, subjectOf } from '../support/member-rows.ts';
import { itHoldsFor } from '../support/rule.ts';
import type { Credential } from '../support/transports.ts';
import { addSession, addUser, codeAt, fromBase32 } from '../support/user-rows.ts';

const { getUser, enrolTotp, confirmTotp, removeTotp } = UserService.method;
const password = 'correct horse battery staple';

describe('a one-time code', () => {
  // RFC 6238, appendix B, SHA-1: the last 6 of the 8 digits (RFC 4226 §5.3 cuts the same number).
  const seed = Buffer.from('12345678901234567890');
  const vectors: [seconds: number, code: string][] = [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ];

  itHoldsFor(vectors, 6)('equals the one of RFC 6238', (seconds, code) => {
    const now = seconds * 1000;
    expect(matchTotpStep(seed, code, { now, lastStep: 0 })).toBe(Math.floor(seconds / 30));
    expect(codeAt(seed, now)).toBe(code);
  });

  itHoldsFor([
    [-60_000, false],
    [-30_000, true],
    [0, true],
    [30_000, true],
    [60_000, false],
  ])('of a clock that is off is accepted within one step', (off, isAccepted) => {
    const now = 1_700_000_000_000;
    const step = matchTotpStep(seed, codeAt(seed, now + off), { now, lastStep: 0 });
    expect(step).toBe(isAccepted ? Math.floor((now + off) / 30_000) : undefined);
  });

  it('is accepted once, and then none of an earlier step', () => {
    const now = 1_700_000_000_000;
    const lastStep = Math.floor(now / 30_000);
    expect(matchTotpStep(seed, codeAt(seed, now), { now, lastStep })).toBeUndefined();
    expect(matchTotpStep(seed, codeAt(seed, now - 30_000), { now, lastStep })).toBeUndefined();
    expect(matchTotpStep(seed, codeAt(seed, now + 30_000), { now, lastStep })).toBe(lastStep + 1);
  });
});

describe('a seed whose last code was used while the clock was ahead', () => {
  const seed = Buffer.from('12345678901234567890');
  const now = 1_700_000_000_000;
  const step = Math.floor(now / 30_000);

  itHoldsFor([
    [10, false],
    [11, true],
    [400 * 2_880, true],
  ])('gives a good code if that was long ago', (ahead, isAccepted) => {
    const found = matchTotpStep(seed, codeAt(seed, now), { now, lastStep: step + ahead });
    expect(found).toBe(isAccepted ? step : undefined);
  });
});

describeApp('a second factor', (suite) => {
  const db = () => suite.app.inside.db;
  const now = Date.now();
  beforeEach(() => {
    suite.clock.frozen = now;
  });
  afterEach(suite.clock.reset);
  const { admin } = useAdministrator(suite);

  describeOneTransport(suite, (name) => {
    const call = suite.callsThrough(name);

    itHoldsFor([true, false])('ends other sessions only if asked to', async (endOtherSessions) => {
      const { id: userId } = await addUser(db(), { password });
      const own = await credentialFor(suite.testApp, { type: 'staff', sub: userId, scope: '' });
      const { sid } = subjectOf(own);
      const bystander = await addSession(db(), (await addUser(db())).id);
      for (const step of ['confirm', 'remove'] as const) {
        const { id: other } = await addSession(db(), userId);
        const begun = step === 'confirm' ? await call(enrolTotp, { userId }, own) : undefined;
        const answer = begun?.ok
          ? await call(
              confirmTotp,
              { userId, code: codeAt(fromBase32(begun.message.secret), now), endOtherSessions },
              own,
            )
          : await call(removeTotp, { userId, endOtherSessions }, own);
        expect(answer).toMatchObject({ ok: true });
        const live = await liveSessions(db(), userId);
        expect(live.sort()).toEqual((endOtherSessions ? [sid] : [sid, other]).sort());
        if (!endOtherSessions) {
          await transact(db(), (trx) =>
            trx.deleteFrom('sessions').where('id', '=', other).execute(),
          );
        }
      }
      const kept = db().selectFrom('sessions').select('revoke_time').where('id', '=', bystander.id);
      expect(await kept.executeTakeFirst()).toEqual({ revoke_time: null });
    });
    async function newUser(kind: 'staff' | 'member' = 'member') {
      const user = await addUser(db(), { kind, password });
      const own = await credentialFor(suite.testApp, { type: kind, sub: user.id, scope: '' });
      return { userId: user.id, email: user.email, own };
    }
    async function enrol({ userId, own }: { userId: string; own: Credential }) {
      const answer = await call(enrolTotp, { userId }, own);
      if (!answer.ok) throw new Error(answer.error.message);
      return { ...answer.message, seed: fromBase32(answer.message.secret) };
    }
    const isEnabled = async (userId: string) => {
      const answer = await call(getUser, { userId }, admin());
      return answer.ok && answer.message.user?.totpEnabled;
    };
    const conflict = { ok: false, error: { code: 'conflict' } };
    const forbidden = { ok: false, error: { code: 'forbidden' } };
    const wrongCode = { ok: false, error: { code: 'invalid_argument', fields: ['code'] } };

    itHoldsFor(['staff', 'member'] as const)('is required after its first code', async (kind) => {
      const user = await newUser(kind);
      const { secret, uri, seed } = await enrol(user);
      expect(secret).toMatch(/^[A-Z2-7]{32}$/);
      const url = new URL(uri);
      expect(url.protocol + url.host).toBe('otpauth:totp');
      expect(decodeURIComponent(url.pathname)).toBe(`/Latchkey:${user.email}`);
      expect(url.searchParams.get('secret')).toBe(secret);
      expect(await isEnabled(user.userId)).toBe(false);

      const { userId, own } = user;
      for (const code of [codeAt(seed, now - 60_000), codeAt(seed, now + 60_000), '12345', '']) {
        expect(await call(confirmTotp, { userId, code }, own), code).toMatchObject(wrongCode);
      }
      expect(await isEnabled(userId)).toBe(false);
      const code = codeAt(seed, now);
      const confirmed = await call(confirmTotp, { userId, code }, own);
      expect(confirmed).toMatchObject({ ok: true, message: { user: { totpEnabled: true } } });
      expect(await isEnabled(userId)).toBe(true);
      const [row] = await db()
        .selectFrom('totp_seeds')
        .selectAll()
        .where('user_id', '=', userId)
        .execute();
      // The confirming code cannot be used to sign in.
      expect(row?.last_step).toBe(Math.floor(now / 30_000));
      expect(await call(confirmTotp, { userId, code }, own)).toMatchObject(conflict);
      expect(await call(enrolTotp, { userId }, own)).toMatchObject(conflict);
      expect(await isEnabled(userId)).toBe(true);
    });

    it('that was begun twice accepts the codes of the second seed', async () => {
      const user = await newUser();
      const { userId, own } = user;
      const [first, second] = [await enrol(user), await enrol(user)];
      const old = codeAt(first.seed, now);
      expect(await call(confirmTotp, { userId, code: old }, own)).toMatchObject(wrongCode);
      const code = codeAt(second.seed, now);
      expect(await call(confirmTotp, { userId, code }, own)).toMatchObject({ ok: true });
    });

    it('that was not begun cannot be confirmed', async () => {
      const { userId, own } = await newUser();
      expect(await call(confirmTotp, { userId, code: '123456' }, own)).toMatchObject(conflict);
    });

    it('is stored encrypted, bound to its user', async () => {
      const user = await newUser();
      const { secret, seed } = await enrol(user);
      const rows = await db().selectFrom('totp_seeds').selectAll().execute();
      const text = JSON.stringify(rows);
      for (const form of ['hex', 'base64', 'base64url'] as const) {
        expect(text).not.toContain(seed.toString(form));
      }
      expect(text).not.toContain(secret);
      expect(rows.find(({ user_id }) => user_id === user.userId)?.master_key_id).toMatch(/^.{16}$/);
    });

    it('cannot be begun or confirmed by another user with any scopes', async () => {
      const user = await newUser();
      const { userId } = user;
      expect(await call(enrolTotp, { userId }, admin())).toMatchObject(forbidden);
      const code = codeAt((await enrol(user)).seed, now);
      expect(await call(confirmTotp, { userId, code }, admin())).toMatchObject(forbidden);
      expect(await isEnabled(userId)).toBe(false);
    });

    it("can be removed by the user, or by a caller who holds all the user's scopes", async () => {
      const scope = 'users:write links:read';
      const limited = await credentialFor(suite.testApp, { type: 'service', scope });
      for (const [scopes, remover, isRemoved] of [
        ['audit:read', 'own', true],
        ['audit:read', 'staff', true],
        ['audit:read', 'limited', false],
        ['links:read', 'limited', true],
      ] as const) {
        const { id: userId } = await addUser(db(), { kind: 'staff', scopes, password });
        const own = await credentialFor(suite.testApp, {
          type: 'staff',
          sub: userId,
          scope: scopes,
        });
        const { seed } = await enrol({ userId, own });
        await call(confirmTotp, { userId, code: codeAt(seed, now) }, own);
        const credential = { own, staff: admin(), limited }[remover];
        const answer = await call(removeTotp, { userId }, credential);
        expect(answer).toMatchObject(isRemoved ? { ok: true } : forbidden);
        expect(await isEnabled(userId)).toBe(!isRemoved);
        if (isRemoved) {
          expect(await call(removeTotp, { userId }, credential)).toMatchObject({ ok: true });
        }
      }
    });
  });
});
