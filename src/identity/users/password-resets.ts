// Password resets by mail. The answer to a request does not depend on the address, and neither does
// its duration: the service looks for the user and sends the mail after the answer.
// See docs/decisions/0007.

import { setTimeout as sleep } from 'node:timers/promises';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import type { PasswordResetService } from '../../../gen/latchkey/identity/v1/password_reset_pb.js';
import { callerOf } from '../../api/principal.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { type Clock, minuteMs, secondMs } from '../../base/clock.ts';
import type { Random } from '../../base/crypto/ids.ts';
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
import type { Database, Executor, PasswordResetRow, UserRow } from '../../storage/schema.ts';
import { createThrottle, steadyLimit, type ThrottleLimit } from '../../storage/throttle.ts';
import type { CheckPassword } from './password-rules.ts';
import type { SecurityNotices } from './security-notices.ts';
import {
  deletePasswordResets,
  endSessionsOf,
  findEnabledUser,
  findPasswordReset,
  findUser,
  insertPasswordReset,
  updateUser,
} from './store.ts';
import { lockUser } from './users.ts';

export const passwordResetMs = 60 * minuteMs;

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
} as const satisfies Record<string, ThrottleLimit>;

const tasksMax = 100;
/** The answer has left by then. A write to SQLite would delay it for known addresses. */
const pauseMs = 300;

export type PasswordResetOptions = {
  readonly db: Database;
  readonly auditLog: AuditLog;
  readonly mailer: Mailer;
  readonly passwords: Passwords;
  readonly checkPassword: CheckPassword;
  readonly localPasswords: boolean;
  readonly securityNotices: SecurityNotices;
  readonly keys: DerivedKeys;
  readonly publicUrl: string;
  readonly warn: (facts: object, message: string) => void;
  readonly random: Random;
  readonly now: Clock;
};

export type PasswordResets = {
  readonly service: ServiceImpl<typeof PasswordResetService>;
  stop(): Promise<void>;
};

export function createPasswordResets(options: PasswordResetOptions): PasswordResets {
  const { db, auditLog, passwords, checkPassword, keys, now, warn } = options;
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
        runLater(() => mailLink(options, context, email));
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
          await deletePasswordResets(trx, id);
          await endSessionsOf(trx, id, { time: now() });
        });
        options.securityNotices.send(context, 'password', { id, email });
        return {};
      },
    },
  };
}

async function mailLink(
  { db, auditLog, mailer, localPasswords, publicUrl, random, now }: PasswordResetOptions,
  context: HandlerContext,
  email: string,
): Promise<void> {
  const user = await findEnabledUser(db, email);
  if (user === undefined || !localPasswords) return;
  // Users of an identity provider must not get around it.
  if (user.password_hash === '') return;
  const token = generateLinkToken('pwr', random);
  const row: PasswordResetRow = {
    id: token.id,
    user_id: user.id,
    digest: linkTokenDigest(token, factsOf(user)),
    create_time: now(),
    expire_time: now() + passwordResetMs,
  };
  await auditLog.change(context, { target: user.id }, (trx) => insertPasswordReset(trx, row));
  const url = `${publicUrl}/console/reset-password#${formatLinkToken(token)}`;
  await mailer.send({ to: user.email, subject: 'Reset your password', text: textOf(url) });
}

/** A change of these facts makes the links of the user invalid. */
const factsOf = ({ email, password_hash }: UserRow) => [email, password_hash];

function isValid(token: LinkToken, row: PasswordResetRow, user: UserRow, time: number): boolean {
  const isInTime = time < row.expire_time && row.expire_time <= time + passwordResetMs;
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
