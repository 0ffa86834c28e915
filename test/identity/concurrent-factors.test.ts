// A second factor that is confirmed while a sign-in or another enrollment runs.
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { UserService } from '../../gen/latchkey/identity/v1/user_pb.js';
import { createMasterKey } from '../../src/base/crypto/master-key.ts';
import { readMasterKeyFile } from '../../src/base/crypto/master-key-file.ts';
import { createPasswords } from '../../src/credentials/passwords.ts';
import { createSession } from '../../src/identity/sessions/session.ts';
import { createSignInCheck } from '../../src/identity/sessions/sign-in-check.ts';
import { insertSession } from '../../src/identity/sessions/store.ts';
import { recoveryCodeDigest } from '../../src/identity/users/recovery-codes.ts';
import { findSeed, replaceUnconfirmedSeed } from '../../src/identity/users/store.ts';
import { generateTotpSeed, seedPurpose } from '../../src/identity/users/totp.ts';
import { lockUser } from '../../src/identity/users/users.ts';
import { transact } from '../../src/storage/database.ts';
import type { TotpSeedRow } from '../../src/storage/schema/schema.ts';
import { describeApp, type Suite } from '../support/app-suite.ts';
import { callDuring } from '../support/lock-waits.ts';
import { credentialFor, liveSessions, subjectOf } from '../support/member-rows.ts';
import { addUser, codeAt, fromBase32 } from '../support/user-rows.ts';

const { enrolTotp, confirmTotp, removeTotp } = UserService.method;
const password = 'correct horse battery staple';
const refused = { code: 'identity.code_required' };

describeApp('a second factor', (suite) => {
  it('refuses a sign-in without a code that began before the confirmation', async () => {
    const user = await enrolled(suite);
    const { settle } = await checked(suite, user.email);
    await transact(db(suite), settle);

    expect(await user.confirm()).toMatchObject({ ok: true });

    await expect(transact(db(suite), settle)).rejects.toMatchObject(refused);
  });

  it('refuses a sign-in with a code that began before the removal', async () => {
    const user = await enrolled(suite);
    expect(await user.confirm()).toMatchObject({ ok: true });
    const { settle, amr } = await checked(suite, user.email, () => Number.MAX_SAFE_INTEGER);
    expect(amr).toBe('pwd otp mfa');

    expect(await user.remove()).toMatchObject({ ok: true });

    await expect(transact(db(suite), settle)).rejects.toMatchObject(refused);
  });

  // SQLite runs one transaction at a time.
  if (suite.dialect === 'sqlite') return;

  it('ends the session of a sign-in that is committed during the confirmation', async () => {
    const user = await enrolled(suite);
    const { settle } = await checked(suite, user.email);
    const own = { userId: user.userId, amr: 'pwd', address: '192.0.2.1' };
    const { row } = createSession(randomBytes, Date.now(), own);

    const answer = await callDuring(databaseUrl(suite), user.confirm, async (trx) => {
      await settle(trx);
      await insertSession(trx, row);
    });

    expect(answer).toMatchObject({ ok: true });
    expect(await liveSessions(db(suite), user.userId)).toEqual([user.sessionId]);
  });

  it('checks the code against a seed that was stored during the confirmation', async () => {
    const user = await enrolled(suite);
    const other = await otherSeed(suite, user.userId);

    const answer = await callDuring(databaseUrl(suite), user.confirm, async (trx) => {
      await lockUser(trx, user.userId);
      await replaceUnconfirmedSeed(trx, other);
    });

    expect(answer).toMatchObject({ error: { code: 'invalid_argument', fields: ['code'] } });
    expect(await findSeed(db(suite), user.userId)).toMatchObject({ confirm_time: null });
  });

  it('confirms only the seed that the code was checked against', async () => {
    const user = await enrolled(suite);
    const other = await otherSeed(suite, user.userId);

    // A process that does not lock the user.
    const answer = await callDuring(databaseUrl(suite), user.confirm, async (trx) => {
      await replaceUnconfirmedSeed(trx, other);
    });

    expect(answer).toMatchObject({ error: { code: 'conflict' } });
    expect(await findSeed(db(suite), user.userId)).toMatchObject({ confirm_time: null });
  });

  it('is not replaced by an enrollment that waits for the confirmation', async () => {
    const user = await enrolled(suite);
    const before = await findSeed(db(suite), user.userId);

    const answer = await callDuring(databaseUrl(suite), user.enrol, async (trx) => {
      await lockUser(trx, user.userId);
      const change = { confirm_time: Date.now() };
      await trx.updateTable('totp_seeds').set(change).where('user_id', '=', user.userId).execute();
      // The same session confirms it.
      const session = { amr: 'pwd otp mfa' };
      await trx.updateTable('sessions').set(session).where('user_id', '=', user.userId).execute();
    });

    expect(answer).toMatchObject({ error: { code: 'conflict' } });
    const { ciphertext } = (await findSeed(db(suite), user.userId)) ?? {};
    expect(ciphertext).toBe(before?.ciphertext);
  });
});

const db = ({ app }: Suite) => app.inside.db;
const databaseUrl = ({ testApp }: Suite) => testApp.databaseUrl;

/** A user with an unconfirmed second factor, and the calls of one of the user's sessions. */
async function enrolled(suite: Suite) {
  const { id: userId, email } = await addUser(db(suite), { password });
  const own = await credentialFor(suite.testApp, { type: 'staff', sub: userId, scope: '' });
  const transport = suite.transport('grpc');
  const enrol = () => transport.call(enrolTotp, { userId }, own);
  const answer = await enrol();
  if (!answer.ok) throw new Error(answer.error.message);
  const code = () => codeAt(fromBase32(answer.message.secret), Date.now());
  return {
    userId,
    email,
    sessionId: subjectOf(own).sid,
    enrol,
    confirm: () =>
      transport.call(confirmTotp, { userId, code: code(), endOtherSessions: true }, own),
    remove: () => transport.call(removeTotp, { userId, endOtherSessions: true }, own),
  };
}

/** A sign-in whose password was checked, and that has not started its session. */
function checked(suite: Suite, email: string, matchTotpStep: () => number | undefined = () => 1) {
  const check = createSignInCheck({
    db: db(suite),
    passwords: createPasswords(),
    matchTotpStep,
    recoveryCodeDigest,
    localPasswords: true,
  });
  const input = { email, password, otp: '', network: '192.0.2.1', isKnownBrowser: false };
  return check(input);
}

/** Another seed for the user's stored one. */
async function otherSeed({ testApp }: Suite, userId: string): Promise<TotpSeedRow> {
  const stored = await findSeed(testApp.app.inside.db, userId);
  if (stored === undefined) throw new Error('the user has no seed');
  const masterKey = createMasterKey(await readMasterKeyFile(testApp.dataDir));
  const ciphertext = masterKey.seal(generateTotpSeed(randomBytes), seedPurpose(userId));
  return { ...stored, ciphertext };
}
