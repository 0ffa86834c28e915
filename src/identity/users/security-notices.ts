// Sends the mails about the security of users after the change. No answer waits for them.
// See docs/decisions/0007.

import type { HandlerContext } from '@connectrpc/connect';
import { callerOf, isUser, type Principal } from '../../api/principal.ts';
import { type Clock, hourMs } from '../../base/clock.ts';
import type { DerivedKeys } from '../../base/crypto/master-key.ts';
import { Failure, fail } from '../../base/errors/errors.ts';
import type { Mail, Mailer } from '../../base/mail/mailer.ts';
import { networkOf } from '../../base/net/network.ts';
import type { Database, UserRow } from '../../storage/schema/schema.ts';
import { createThrottle, steadyLimit, type ThrottleLimit } from '../../storage/throttle.ts';
import { type SecurityEvent, securityNotice } from './security-notice.ts';

const limits = {
  // One event of one user: a program may sign in each minute, always as a new device.
  event: steadyLimit(5, hourMs),
} as const satisfies Record<string, ThrottleLimit>;

const tasksMax = 100;

type SubjectOfNotice = Pick<UserRow, 'id' | 'email'> & {
  /** The address before the change. It gets the mail, too. */
  readonly oldEmail?: string;
};

export type SecurityNotices = {
  /** Mails a user about a change that the call has made. Never throws. */
  send(context: HandlerContext, event: SecurityEvent, user: SubjectOfNotice): void;
  /** The same for a change by the user over a route that is not an rpc. */
  sendFrom(peer: string, event: SecurityEvent, user: SubjectOfNotice): void;
  /** Resolves when the mails of all earlier events have been counted, and sent or given up. */
  settle(): Promise<void>;
};

export type SecurityNoticeOptions = {
  readonly db: Database;
  readonly mailer: Mailer;
  readonly keys: DerivedKeys;
  readonly publicUrl: string;
  readonly warn: (facts: object, message: string) => void;
  readonly now: Clock;
};

export function createSecurityNotices(options: SecurityNoticeOptions): SecurityNotices {
  const { db, mailer, keys, publicUrl, warn, now } = options;
  const throttle = createThrottle({ db, keys, limits, refusal: tooMany, now });
  const tasks = new Set<Promise<void>>();

  async function sendAll(mails: readonly Mail[], event: SecurityEvent, id: string): Promise<void> {
    await throttle.count([throttle.counter('event', event, id)]);
    await Promise.all(mails.map((mail) => mailer.send(mail)));
  }

  function mail(
    origin: { readonly peer: string; readonly actor: string | undefined },
    event: SecurityEvent,
    { id, email, oldEmail }: SubjectOfNotice,
  ): void {
    if (tasks.size >= tasksMax) {
      warn({ event }, notSent);
      return;
    }
    const facts = {
      ...{ event, email, oldEmail, publicUrl },
      time: now(),
      network: networkOf(origin.peer),
      actor: origin.actor,
    };
    const mails = [email, ...(oldEmail === undefined ? [] : [oldEmail])].map((to) =>
      securityNotice(to, facts),
    );
    const task = sendAll(mails, event, id)
      .catch((err: unknown) => {
        const isLimited = err instanceof Failure && err.code === 'rate_limited';
        if (!isLimited) warn({ err, event }, notSent);
      })
      .finally(() => tasks.delete(task));
    tasks.add(task);
  }

  return {
    send(context, event, user) {
      const { principal, call } = callerOf(context);
      mail({ peer: call.peer, actor: actorOf(principal, user.id) }, event, user);
    },
    sendFrom: (peer, event, user) => mail({ peer, actor: undefined }, event, user),

    async settle() {
      await Promise.all(tasks);
    },
  };
}

const notSent = 'a mail about the security of a user was not sent';

const tooMany = (retryAfterSeconds: number) =>
  fail('rate_limited', 'Too many mails about one user.', { retryAfterSeconds });

function actorOf(principal: Principal, userId: string): string | undefined {
  if (principal.type === 'anonymous') return undefined;
  if (!isUser(principal)) return 'a service client';
  return principal.userId === userId ? undefined : 'an administrator';
}
