// Starts and ends the sessions of sign-ins with an identity provider.
import { parseCookie } from 'cookie';
import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/crypto/ids.ts';
import type { Database, Executor, UserRow } from '../../storage/schema/schema.ts';
import type { Cookies } from './cookies.ts';
import type { NetworkThrottle } from './network-throttle.ts';
import {
  type AuthenticateSession,
  createSession,
  type SessionFacts,
  sessionMsMax,
  sessionsMax,
} from './session.ts';
import {
  endProviderSessions,
  endSessions,
  findOldSessions,
  findSession,
  insertSession,
  type ProviderSessions,
} from './store.ts';

export type ProviderSignInFacts = Omit<SessionFacts, 'userId'> & {
  readonly user: UserRow;
  /** The session that the new one replaces. */
  readonly replacedId: string | undefined;
};

export type ProviderSignIns = {
  readonly throttle: NetworkThrottle;
  /** The live session of a `Cookie` header. */
  current(
    cookies: string | undefined,
  ): Promise<{ readonly sessionId: string; readonly userId: string; email: string } | undefined>;
  /** Returns the id of the new session, and the value of its `Set-Cookie`. */
  start(trx: Executor, facts: ProviderSignInFacts): Promise<{ id: string; cookie: string }>;
  end(trx: Executor, sessions: ProviderSessions): Promise<string[]>;
};

export type ProviderSignInsOptions = {
  readonly db: Database;
  readonly throttle: NetworkThrottle;
  readonly cookies: Pick<Cookies, 'sessionName' | 'sessionHeader'>;
  readonly authenticate: AuthenticateSession;
  readonly random: Random;
  readonly now: Clock;
};

export function createProviderSignIns(options: ProviderSignInsOptions): ProviderSignIns {
  const { db, throttle, cookies, authenticate, random, now } = options;
  return {
    throttle,

    async current(header) {
      const value = parseCookie(header ?? '')[cookies.sessionName];
      const session = value === undefined ? undefined : await authenticate(value);
      const found = session && (await findSession(db, session.sessionId));
      if (found === undefined) return undefined;
      const { id: userId, email } = found.user;
      return { sessionId: found.session.id, userId, email };
    },

    async start(trx, { user, replacedId, ...facts }) {
      const { row, cookie } = createSession(random, now(), { ...facts, userId: user.id });
      const old = await findOldSessions(trx, user.id, now(), sessionsMax - 1);
      await endSessions(trx, replacedId === undefined ? old : [...old, replacedId], now());
      await insertSession(trx, row);
      return { id: row.id, cookie: cookies.sessionHeader(cookie, sessionMsMax / 1000) };
    },

    end: (trx, sessions) => endProviderSessions(trx, sessions, now()),
  };
}
