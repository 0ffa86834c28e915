// The factors of users: a password, and an optional one-time code.

import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import type { UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { isUser, principalId, principalOf, userOf } from '../../api/principal.ts';
import type { Random } from '../../base/crypto/ids.ts';
import type { MasterKey } from '../../base/crypto/master-key.ts';
import { fail, invalid } from '../../base/errors/errors.ts';
import { type Passwords, passwordChangeQueue } from '../../credentials/passwords.ts';
import { endSessionsOf } from '../../storage/queries/users.ts';
import type { Database, Executor, UserRow } from '../../storage/schema/schema.ts';
import type { RequireFactor } from '../factor-rules/factor-check.ts';
import type { CheckCurrentPassword } from './current-password.ts';
import type { UserDeletionOptions } from './deletion-methods.ts';
import { grantChecksFor } from './grant-checks.ts';
import type { MailPasswordLink } from './password-resets.ts';
import type { CheckPassword } from './password-rules.ts';
import type { SecurityNotices } from './security-notices.ts';
import { confirmSeed, deleteSeed, findSeed, replaceUnconfirmedSeed, updateUser } from './store.ts';
import { describeSeed, generateTotpSeed, matchTotpStep, seedPurpose } from './totp.ts';
import { type AddSessionMethods, lockUser, requireUser, userMessage } from './users.ts';

export type UserOptions = UserDeletionOptions & {
  readonly db: Database;
  readonly exportUser: ServiceImpl<typeof UserService>['exportUser'];
  readonly mailPasswordLink: MailPasswordLink;
  readonly masterKey: MasterKey;
  readonly passwords: Passwords;
  readonly checkPassword: CheckPassword;
  readonly checkCurrentPassword: CheckCurrentPassword;
  readonly securityNotices: SecurityNotices;
  readonly addSessionMethods: AddSessionMethods;
  readonly requireFactor: RequireFactor;
  readonly random: Random;
};

type FactorMethods = Pick<
  ServiceImpl<typeof UserService>,
  'setPassword' | 'enrolTotp' | 'confirmTotp' | 'removeTotp'
>;

export function createFactorMethods(options: UserOptions): FactorMethods {
  const { db, auditLog, masterKey, passwords, checkPassword, checkCurrentPassword } = options;
  const { securityNotices, rolesOf, addSessionMethods, requireFactor, random, now } = options;

  function endOthers(trx: Executor, userId: string, context: HandlerContext): Promise<void> {
    const caller = principalOf(context);
    const except = isUser(caller) ? caller.sessionId : '';
    return endSessionsOf(trx, userId, { time: now(), except });
  }

  return {
    async setPassword({ userId, password, currentPassword }, context) {
      const { requireToActAs } = grantChecksFor(context, userId, rolesOf);
      const checked = await requireUser(db, userId);
      await checkPassword(password, checked.email);
      const requireUnchanged = await checkCurrentPassword(context, checked, {
        currentPassword,
        password,
      });
      const password_hash = await passwords.hash(
        password,
        passwordChangeQueue(principalId(principalOf(context))),
      );
      const user = await auditLog.change(context, { target: userId }, async (trx) => {
        const locked = await lockUser(trx, userId);
        await requireToActAs(trx, locked);
        requireUnchanged(locked);
        await updateUser(trx, userId, { password_hash });
        await endOthers(trx, userId, context);
        return locked;
      });
      securityNotices.send(context, 'password', user);
      return {};
    },

    async enrolTotp({ userId }, context) {
      const seed = generateTotpSeed(random);
      const row = {
        user_id: userId,
        ciphertext: masterKey.seal(seed, seedPurpose(userId)),
        master_key_id: masterKey.id,
        create_time: now(),
        confirm_time: null,
        last_step: 0,
      };
      return auditLog.change(context, { target: userId }, async (trx) => {
        const user = await lockUser(trx, userId);
        await requireFactor(trx, context, userId);
        requirePassword(user);
        if (await replaceUnconfirmedSeed(trx, row)) return describeSeed(seed, user.email);
        throw fail('conflict', 'The user already has a second factor. Remove it first.');
      });
    },

    async confirmTotp({ userId, code, endOtherSessions }, context) {
      const answer = await auditLog.create(context, { target: userId }, async (trx) => {
        // Sign-ins and other changes of the factors wait for this lock.
        const user = await lockUser(trx, userId);
        await requireFactor(trx, context, userId);
        requirePassword(user);
        const row = await findSeed(trx, userId);
        if (row === undefined || row.confirm_time !== null) throw nothingToConfirm();
        const seed = masterKey.open(row.ciphertext, seedPurpose(userId));
        const step = matchTotpStep(seed, code, { now: now(), lastStep: row.last_step });
        if (step === undefined) throw invalid('code', 'is not the current code');
        if (!(await confirmSeed(trx, row, { time: now(), step }))) throw seedChanged();
        if (endOtherSessions) await endOthers(trx, userId, context);
        await addSessionMethods(trx, userOf(context).sessionId, 'otp mfa');
        return { user: userMessage(await requireUser(trx, userId)) };
      });
      securityNotices.send(context, 'factorAdded', answer.user);
      return answer;
    },

    async removeTotp({ userId, endOtherSessions }, context) {
      const { requireToActAs } = grantChecksFor(context, userId, rolesOf);
      const user = await auditLog.change(context, { target: userId }, async (trx) => {
        const locked = await lockUser(trx, userId);
        await requireToActAs(trx, locked);
        await requireFactor(trx, context, userId);
        await deleteSeed(trx, userId);
        if (endOtherSessions) await endOthers(trx, userId, context);
        return locked;
      });
      if (user.totp_confirm_time !== null) securityNotices.send(context, 'factorRemoved', user);
      return {};
    },
  };
}

/**
 * Only a sign-in with a password asks for a code. Otherwise, any session could meet a required
 * second factor by adding an app.
 */
function requirePassword({ password_hash }: UserRow): void {
  if (password_hash !== '') return;
  throw fail('conflict', 'Without a password, no sign-in asks for a code. Add a passkey instead.');
}

const seedChanged = () =>
  fail('conflict', 'The second factor changed at the same time. Try again.');

const nothingToConfirm = () => fail('conflict', 'No second factor awaits confirmation.');
