// Mailed links to choose a password. The answer to a request for a reset does not depend on the
// address, and neither does its duration: the service looks for the user and sends the mail after
// the answer. See docs/decisions/0007.

import { setTimeout as sleep } from 'node:timers/promises';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import type { PasswordResetService } from '../../../gen/latchkey/identity/v1/password_reset_pb.js';
import type { UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { requireNotDeleted } from '../../api/deletion.ts';
import { claimOf } from '../../api/idempotency/claim.ts';
import { callerOf } from '../../api/principal.ts';
import type { ManagementOptions } from '../../audit/audit-log.ts';
import { dayMs, minuteMs, secondMs } from '../../base/clock.ts';
import {
  formatLinkToken,
  generateLinkToken,
  type LinkToken,
  linkTokenDigest,
  linkTokenMatches,
  parseLinkToken,
} from '../../base/crypto/link-token.ts';
import type { DerivedKeys } from '../../base/crypto/master-key.ts';
import { fail, invalid } from '../../base/errors/errors.ts';
import type { Mailer } from '../../base/mail/mailer.ts';
import { readEmail } from '../../base/net/email.ts';
import { networkOf } from '../../base/net/network.ts';
import { type Passwords, passwordChangeQueue } from '../../credentials/passwords.ts';
import { endSessionsOf } from '../../storage/queries/users.ts';
import type { Executor, PasswordResetRow, UserRow } from '../../storage/schema/schema.ts';
import {
  createThrottle,
  steadyLimit,
  type ThrottledAttempt,
  type ThrottleLimit,
} from '../../storage/throttle.ts';
import { grantChecksFor, type RolesOf } from './grant-checks.ts';
import { type CheckPassword, passwordsAreOff } from './password-rules.ts';
import type { SecurityNotices } from './security-notices.ts';
import {
  deletePasswordReset,
  findEnabledUser,
  findPasswordReset,
  findUser,
  insertPasswordReset,
  updateUser,
} from './store.ts';
import { lockUser } from './users.ts';

const resetMs = 60 * minuteMs;
/** The lifetime of a link of MailPasswordLink. Invitations have the same. */
export const passwordLinkMsMax = 7 * dayMs;

const limits = {
  // One address, so that no mailbox is flooded. An attacker who makes the user wait here also makes
  // the service mail a working link to the user.
  address: { free: 5, firstWaitMs: minuteMs, waitMsMax: 16 * minuteMs, forgetMs: 15 * minuteMs },
  // One network that requests links for many addresses.
  network: {
    free: 20,
    firstWaitMs: 30 * secondMs,
    waitMsMax: 4 * minuteMs,
    forgetMs: 2 * minuteMs,
  },
  service: steadyLimit(500, secondMs),
  // One user. Requests of others do not count, so that staff can always send a link.
  staffLinks: { free: 5, firstWaitMs: minuteMs, waitMsMax: 16 * minuteMs, forgetMs: 15 * minuteMs },
} as const satisfies Record<string, ThrottleLimit>;

const tasksMax = 100;
/** The answer has left by then. A write to SQLite would delay it for known addresses. */
const pauseMs = 300;

export type MailPasswordLink = ServiceImpl<typeof UserService>['mailPasswordLink'];

export type PasswordResetOptions = ManagementOptions & {
  readonly mailer: Mailer;
  readonly passwords: Passwords;
  readonly checkPassword: CheckPassword;
  readonly localPasswords: boolean;
  readonly securityNotices: SecurityNotices;
  readonly rolesOf: RolesOf;
  readonly keys: DerivedKeys;
  readonly publicUrl: string;
  readonly warn: (facts: object, message: string) => void;
};

export type PasswordResets = {
  readonly service: ServiceImpl<typeof PasswordResetService>;
  readonly mailPasswordLink: MailPasswordLink;
  stop(): Promise<void>;
};

export function createPasswordResets(options: PasswordResetOptions): PasswordResets {
  const { db, auditLog, mailer, passwords, checkPassword, localPasswords } = options;
  const { publicUrl, rolesOf, keys, random, now, warn } = options;
  const throttle = createThrottle({ db, keys, limits, refusal: tooMany, now });
  const tasks = new Set<Promise<void>>();

  /** Runs work after the answer. Its errors cannot reach the caller. */
  function runLater(work: () => Promise<void>): void {
    const task = sleep(pauseMs)
      .then(work)
      .catch((err: unknown) => warn({ err }, 'a mail for a password reset was not sent'))
      .finally(() => tasks.delete(task));
    tasks.add(task);
  }

  const urlOf = (token: LinkToken) =>
    `${publicUrl}/console/reset-password#${formatLinkToken(token)}`;

  async function mailLink(context: HandlerContext, email: string): Promise<void> {
    const user = await findEnabledUser(db, email);
    if (user === undefined || !localPasswords) return;
    // Users of an identity provider must not get around it.
    if (user.password_hash === '') return;
    const token = generateLinkToken('pwr', random);
    const row = rowOf(token, user, now(), resetMs);
    await auditLog.change(context, { target: user.id }, (trx) => insertPasswordReset(trx, row));
    const text = textOf(urlOf(token));
    await mailer.send({ to: user.email, subject: 'Reset your password', text });
  }

  async function requireReset(executor: Executor, token: LinkToken): Promise<UserRow> {
    const row = await findPasswordReset(executor, token.id);
    const user = row === undefined ? undefined : await findUser(executor, row.user_id);
    if (row === undefined || user === undefined) throw notValid();
    if (!isValid(token, row, user, now())) throw notValid(user.id);
    return user;
  }

  return {
    async stop() {
      await Promise.all(tasks);
    },

    async mailPasswordLink({ userId }, context) {
      if (!localPasswords) throw passwordsAreOff();
      const { requireToActAs } = grantChecksFor(context, userId, rolesOf);
      const token = generateLinkToken('pwr', random);
      let to = '';
      let attempts: readonly ThrottledAttempt[] = [];
      const answer = await auditLog.create(context, { target: userId }, async (trx) => {
        const user = await lockUser(trx, userId);
        requireNotDeleted(user, 'user');
        await requireToActAs(trx, user);
        if (user.disable_time !== null) throw fail('conflict', 'The user is disabled.');
        to = user.email;
        attempts = await throttle.countIn(trx, [throttle.counter('staffLinks', userId)]);
        const row = rowOf(token, user, now(), passwordLinkMsMax);
        await insertPasswordReset(trx, row);
        return { expireTime: timestampFromMs(row.expire_time) };
      });
      try {
        await mailer.send({ to, subject: 'Choose your password', text: welcome(urlOf(token)) });
      } catch (error) {
        const change = { target: userId };
        await auditLog.changeBySystem('UserService.WithdrawPasswordLink', change, async (trx) => {
          await deletePasswordReset(trx, token.id);
          await throttle.takeBack(trx, attempts);
          await claimOf(context)?.withdraw(trx);
        });
        throw error;
      }
      return answer;
    },

    service: {
      async requestPasswordReset(request, context) {
        const email = readEmail(request.email);
        if (email === undefined) throw invalid('email', 'must be an email address');
        const { counter } = throttle;
        const network = networkOf(callerOf(context).call.peer);
        if (tasks.size >= tasksMax) throw tooBusy();
        await throttle.count([
          counter('address', email),
          counter('network', network),
          counter('service'),
        ]);
        runLater(() => mailLink(context, email));
        return {};
      },

      async resetPassword(request, context) {
        const token = parseLinkToken('pwr', request.token);
        if (token === undefined) throw notValid();
        const { id, email } = await requireReset(db, token);
        await checkPassword(request.password, email);
        const password_hash = await passwords.hash(request.password, passwordChangeQueue(id));
        await auditLog.change(context, { target: id }, async (trx) => {
          // Sign-ins, and other resets with the same token, wait for this lock.
          await lockUser(trx, id);
          await requireReset(trx, token);
          await updateUser(trx, id, { password_hash });
          await endSessionsOf(trx, id, { time: now() });
        });
        options.securityNotices.send(context, 'password', { id, email });
        return {};
      },
    },
  };
}

function rowOf(token: LinkToken, user: UserRow, time: number, ms: number): PasswordResetRow {
  return {
    ...{ id: token.id, user_id: user.id, digest: linkTokenDigest(token, factsOf(user)) },
    ...{ create_time: time, expire_time: time + ms },
  };
}

/** A change of these facts makes the links of the user invalid. */
const factsOf = ({ email, password_hash }: UserRow) => [email, password_hash];

function isValid(token: LinkToken, row: PasswordResetRow, user: UserRow, time: number): boolean {
  const isInTime = row.create_time <= time && time < row.expire_time;
  const matches = linkTokenMatches(token, row.digest, factsOf(user));
  return matches && isInTime && user.disable_time === null;
}

const notValid = (target?: string) =>
  fail(
    'identity.credential_invalid',
    'The link is not valid, was used or has expired. Request a new one.',
    target === undefined ? {} : { target },
  );

const tooMany = (retryAfterSeconds: number) =>
  fail('rate_limited', 'Too many password resets were requested.', { retryAfterSeconds });

const tooBusy = () =>
  fail('unavailable', 'Too many password resets are in progress.', { retryAfterSeconds: 5 });

const textOf = (url: string) => `Open this link to set a new password:

${url}

The link expires in an hour and works once. A new password ends all of your
sessions. If you use an authenticator app, you still need its code to sign in.

If you did not request a new password, ignore this email: nothing has changed.
`;

const welcome = (url: string) => `Open this link to choose your password for Latchkey:

${url}

The link expires in 7 days and works once. Do not forward it. If it has expired,
ask the person who added you for a new one.

If you did not expect this email, ignore it.
`;
