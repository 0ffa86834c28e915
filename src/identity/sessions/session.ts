// A session: a cookie `<id>.<secret>` that authenticates a user until the session ends.

import type { UserPrincipal } from '../../api/principal.ts';
import type { Clock } from '../../base/clock.ts';
import { digestMatches, digestOf } from '../../base/crypto/credential-format.ts';
import { encodeBase62, newId, type Random } from '../../base/crypto/ids.ts';
import type { Database, SessionRow, UserRow } from '../../storage/schema/schema.ts';
import type { FactorRules } from '../factor-rules/factor-rules.ts';
import type { ScopesOf } from './scopes.ts';
import { findSession } from './store.ts';

/** The maximum time from the sign-in to the end of the session (NIST SP 800-63B §4.2.3). */
export const sessionMsMax = 12 * 60 * 60_000;
/** The maximum number of live sessions per user. A further sign-in ends the oldest. */
export const sessionsMax = 100;
/** The time from the last refresh to the end of the session. */
const idleMsMax = 60 * 60_000;

/** More than browsers send. */
const userAgentMax = 512;

export const shortenUserAgent = (header: string | undefined): string | null =>
  header?.slice(0, userAgentMax) ?? null;

const cookiePattern = /^(ses_[0-9A-Za-z]{22})\.([0-9A-Za-z]{43})$/;

/** Compared for an unknown session, so that the check takes as long. */
const decoyDigest = '0'.repeat(64);

export function sessionExpireTime(createTime: number, now: number): number {
  return Math.min(createTime + sessionMsMax, now + idleMsMax);
}

/** An expiry time further ahead than a session can last was set while the clock was ahead. */
export function isLiveSession({ revoke_time, expire_time }: SessionRow, now: number): boolean {
  return revoke_time === null && now < expire_time && expire_time <= now + sessionMsMax;
}

export type NewSession = {
  readonly row: SessionRow;
  readonly cookie: string;
};

export type SessionFacts = {
  readonly userId: string;
  readonly amr: string;
  readonly address: string;
  readonly userAgent?: string | undefined;
  /** Milliseconds since 1970; by default the time of the sign-in. */
  readonly authTime?: number;
  /** The identity provider of the sign-in, and its `sid`. */
  readonly provider?: { readonly id: string; readonly sid: string | undefined };
};

export function createSession(
  random: Random,
  now: number,
  { userId, amr, address, userAgent, ...provided }: SessionFacts,
): NewSession {
  const id = newId('ses', random);
  const secret = encodeBase62(random(32), 43);
  const row = {
    id,
    user_id: userId,
    digest: digestOf(secret),
    amr,
    address,
    create_time: now,
    refresh_time: now,
    expire_time: sessionExpireTime(now, now),
    revoke_time: null,
    auth_time: provided.authTime ?? null,
    provider_id: provided.provider?.id ?? null,
    provider_sid: provided.provider?.sid ?? null,
    user_agent: shortenUserAgent(userAgent),
  };
  return { row, cookie: `${id}.${secret}` };
}

export type SessionAuthenticatorOptions = {
  readonly db: Database;
  readonly scopesOf: ScopesOf;
  readonly factorRules: FactorRules;
  readonly now: Clock;
};

export type AuthenticateSession = (cookie: string) => Promise<UserPrincipal | undefined>;

/** Reads the database on every call: a browser sends the cookie only every few minutes. */
export function createSessionAuthenticator(
  options: SessionAuthenticatorOptions,
): AuthenticateSession {
  const { db, scopesOf, factorRules, now } = options;
  return async (cookie) => {
    const [, id, secret] = cookiePattern.exec(cookie) ?? [];
    if (id === undefined || secret === undefined) return undefined;
    const found = await findSession(db, id);
    const matches = digestMatches(secret, found?.session.digest ?? decoyDigest);
    if (!matches || found === undefined) return undefined;
    const { session, user } = found;
    if (!isLiveSession(session, now()) || user.disable_time !== null) return undefined;
    const dueTime = await factorRules.dueTimeOf(session, user);
    const lacksSecondFactor = dueTime !== undefined && now() >= dueTime;
    return {
      type: user.kind,
      userId: user.id,
      sessionId: session.id,
      authTime: authTimeOf(session),
      lacksSecondFactor,
      scopes: lacksSecondFactor ? new Set() : await scopesOf(user),
    };
  };
}

export function claimsOf(session: SessionRow, user: UserRow, scopes: ReadonlySet<string>) {
  return {
    sub: user.id,
    client_id: 'latchkey',
    scope: [...scopes].join(' '),
    principal_type: user.kind,
    auth_time: authTimeOf(session),
    amr: methodsOf(session),
    sid: session.id,
  };
}

function authTimeOf({ create_time, auth_time }: SessionRow): number {
  return Math.floor((auth_time ?? create_time) / 1000);
}

/** A provider may report no method. */
export const methodsOf = ({ amr }: SessionRow) => (amr === '' ? [] : amr.split(' '));
