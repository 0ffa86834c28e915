// What a session is: a cookie `<id>.<secret>` that stands for a user until it ends.

import type { UserPrincipal } from '../../api/principal.ts';
import type { Clock } from '../../clock.ts';
import { digestMatches, digestOf } from '../../crypto/credential-format.ts';
import { base62, newId, type Random } from '../../crypto/ids.ts';
import type { Database, SessionRow, UserRow } from '../../storage/schema.ts';
import type { ScopesOf } from './scopes.ts';
import { findSession } from './store.ts';

/** From the sign-in to the end, whatever happens in between (NIST SP 800-63B §4.2.3). */
export const sessionMsMax = 12 * 60 * 60_000;
/** From a refresh to the end, unless there is another before. */
const idleMsMax = 60 * 60_000;

const cookiePattern = /^(ses_[0-9A-Za-z]{22})\.([0-9A-Za-z]{43})$/;

/** What an unknown session's secret is compared with, so that it costs what a known one costs. */
const decoyDigest = '0'.repeat(64);

/** When a session of that sign-in ends if it is refreshed now and never again. */
export function endOf(createTime: number, now: number): number {
  return Math.min(createTime + sessionMsMax, now + idleMsMax);
}

/** A session whose end is out of reach was made while the clock was ahead. */
export function isLive({ revoke_time, expire_time }: SessionRow, now: number): boolean {
  return revoke_time === null && now < expire_time && expire_time <= now + sessionMsMax;
}

export type NewSession = {
  readonly row: SessionRow;
  /** Shown once, to the browser. */
  readonly cookie: string;
};

export function newSession(
  random: Random,
  now: number,
  { userId, amr, address }: { userId: string; amr: string; address: string },
): NewSession {
  const id = newId('ses', random);
  const secret = base62(random(32), 43);
  const row = {
    id,
    user_id: userId,
    digest: digestOf(secret),
    amr,
    address,
    create_time: now,
    refresh_time: now,
    expire_time: endOf(now, now),
    revoke_time: null,
  };
  return { row, cookie: `${id}.${secret}` };
}

export type AuthenticateOptions = {
  readonly db: Database;
  readonly scopesOf: ScopesOf;
  readonly now: Clock;
};

/** Tells whom the cookie of a session stands for; undefined where it stands for nobody. */
export type AuthenticateSession = (cookie: string) => Promise<UserPrincipal | undefined>;

/** Asks the database each time: a cookie is used once in a few minutes. */
export function createSessionAuthenticator(options: AuthenticateOptions): AuthenticateSession {
  const { db, scopesOf, now } = options;
  return async (cookie) => {
    const [, id, secret] = cookiePattern.exec(cookie) ?? [];
    if (id === undefined || secret === undefined) return undefined;
    const found = await findSession(db, id);
    const matches = digestMatches(secret, found?.session.digest ?? decoyDigest);
    if (!matches || found === undefined) return undefined;
    const { session, user } = found;
    if (!isLive(session, now()) || user.disable_time !== null) return undefined;
    return {
      type: user.kind,
      userId: user.id,
      sessionId: session.id,
      authTime: authTimeOf(session),
      scopes: await scopesOf(user),
    };
  };
}

/** What a token of the session claims. */
export function claimsOf(session: SessionRow, user: UserRow, scopes: ReadonlySet<string>) {
  return {
    sub: user.id,
    client_id: 'latchkey',
    scope: [...scopes].join(' '),
    principal_type: user.kind,
    auth_time: authTimeOf(session),
    amr: session.amr.split(' '),
    sid: session.id,
  };
}

function authTimeOf({ create_time }: SessionRow): number {
  return Math.floor(create_time / 1000);
}
