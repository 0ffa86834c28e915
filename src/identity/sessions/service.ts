import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import type { SessionService } from '../../../gen/latchkey/identity/v1/session_pb.js';
import { callerOf, userOf } from '../../api/principal.ts';
import { hasEventOf } from '../../audit/store.ts';
import type { Random } from '../../base/crypto/ids.ts';
import { Failure, fail } from '../../base/errors/errors.ts';
import { networkOf } from '../../base/net/network.ts';
import { transact } from '../../storage/database.ts';
import { parseListRequest } from '../../storage/list-request.ts';
import type { SessionRow, UserRow } from '../../storage/schema.ts';
import type { Signer } from '../tokens/signer.ts';
import type { SecurityNotices } from '../users/security-notices.ts';
import { type Cookies, deviceMs } from './cookies.ts';
import type { ScopesOf } from './scopes.ts';
import {
  type AuthenticateSession,
  claimsOf,
  createSession,
  isLiveSession,
  sessionExpireTime,
  sessionMsMax,
  sessionsMax,
} from './session.ts';
import { sessionMessage } from './session-message.ts';
import type { CheckSignIn } from './sign-in-check.ts';
import type { CountedAttempt, SignInThrottle } from './sign-in-throttle.ts';
import {
  endSessions,
  extendSession,
  findOldSessions,
  findSession,
  findSessions,
  insertSession,
  sessionList,
} from './store.ts';
import { createUserSessionMethods, type UserSessionOptions } from './user-sessions.ts';

export type SessionOptions = UserSessionOptions & {
  readonly signer: Signer;
  readonly check: CheckSignIn;
  readonly throttle: SignInThrottle;
  readonly cookies: Cookies;
  readonly authenticateSession: AuthenticateSession;
  readonly scopesOf: ScopesOf;
  readonly securityNotices: SecurityNotices;
  /** Whether users can sign in with a password. */
  readonly localPasswords: boolean;
  readonly findSignInProviders: () => Promise<{ readonly id: string; readonly name: string }[]>;
  readonly tokenSeconds: number;
  readonly random: Random;
};

export function createSessionService(options: SessionOptions): ServiceImpl<typeof SessionService> {
  const { db, auditLog, signer, check, throttle, cookies, scopesOf } = options;
  const { tokenSeconds, random, now } = options;

  async function answer(session: SessionRow, user: UserRow) {
    const scopes = await scopesOf(user);
    const claims = claimsOf(session, user, scopes);
    const notAfter = Math.floor(session.expire_time / 1000);
    const { token, lifetimeSeconds } = await signer.sign(claims, tokenSeconds, { notAfter });
    if (lifetimeSeconds < 1) throw ended();
    const { id, email, name, kind } = user;
    return {
      accessToken: token,
      tokenType: 'Bearer',
      expiresIn: lifetimeSeconds,
      scope: claims.scope,
      user: { id, email, name, kind },
    };
  }

  async function findReplaced(user: UserRow, context: HandlerContext): Promise<string[]> {
    const old = await findOldSessions(db, user.id, now(), sessionsMax - 1);
    const cookie = cookies.readSession(context);
    const own = cookie === undefined ? undefined : await options.authenticateSession(cookie);
    return own === undefined ? old : [...old, own.sessionId];
  }

  /** The audit log may have forgotten the sign-ins of an older user. */
  async function isFirstSignIn({ id, create_time }: UserRow): Promise<boolean> {
    return create_time > now() - deviceMs && !(await hasEventOf(db, id, 'SessionService.SignIn'));
  }

  /** Rethrows the error. An attempt whose password could not be checked does not count. */
  async function refuse(error: unknown, counted: CountedAttempt): Promise<never> {
    if (error instanceof Failure && error.code === 'unavailable') {
      await transact(db, (trx) => counted.takeBack(trx));
    }
    throw error;
  }

  function end(id: string, target: string, context: HandlerContext): Promise<void> {
    return auditLog.change(context, { target }, (trx) => endSessions(trx, [id], now()));
  }

  return {
    ...createUserSessionMethods(options),

    async getSignInOptions() {
      const providers = await options.findSignInProviders();
      return { passwords: options.localPasswords, providers };
    },

    async signIn({ password, otp, ...request }, context) {
      const { call } = callerOf(context);
      const email = request.email.toLowerCase();
      const device = cookies.readDevice(context, email);
      const network = networkOf(call.peer);
      const counted = await throttle.count({ email, network, device });
      const { user, amr, usesRecoveryCode, settle } = await check({
        email,
        password,
        otp,
        network,
        isKnownBrowser: device !== undefined,
      }).catch((error: unknown) => refuse(error, counted));
      const replaced = await findReplaced(user, context);
      const isNewDevice = device === undefined && !(await isFirstSignIn(user));
      const own = { userId: user.id, amr, address: call.peer };
      const { row, cookie } = createSession(random, now(), own);
      const { id, kind } = user;
      const change = { target: id, actor: { type: kind, id } };
      await auditLog.change(context, change, async (trx, also) => {
        await settle(trx);
        if (usesRecoveryCode) also('SessionService.UseRecoveryCode', user.id);
        await counted.forgive(trx);
        await endSessions(trx, replaced, now());
        await insertSession(trx, row);
      });
      const signedIn = await answer(row, user);
      cookies.writeSession(context, cookie, sessionMsMax / 1000);
      cookies.writeDevice(context, email, device);
      if (usesRecoveryCode) options.securityNotices.send(context, 'recoveryCodeUsed', user);
      if (isNewDevice) options.securityNotices.send(context, 'newDevice', user);
      return signedIn;
    },

    async refreshSession(_request, context) {
      const { sessionId } = userOf(context);
      const found = await findSession(db, sessionId);
      if (found === undefined) throw ended();
      const end = sessionExpireTime(found.session.create_time, now());
      const session = await transact(db, (trx) => extendSession(trx, sessionId, now(), end));
      if (session === undefined) throw ended();
      return answer(session, found.user);
    },

    async signOut(_request, context) {
      const { sessionId, userId } = userOf(context);
      await end(sessionId, userId, context);
      cookies.clearSession(context);
      return {};
    },

    async listSessions(request, context) {
      const { userId, sessionId } = userOf(context);
      const query = parseListRequest(request, sessionList.sorts, context.signal);
      const { rows, ...page } = await findSessions(db, userId, now(), query);
      return { sessions: rows.map((row) => sessionMessage(row, sessionId)), ...page };
    },

    async revokeSession({ sessionId }, context) {
      const found = await findSession(db, sessionId);
      const isOwn = found?.user.id === userOf(context).userId;
      if (!isOwn || !isLiveSession(found.session, now())) throw noSuchSession();
      await end(sessionId, sessionId, context);
      return {};
    },
  };
}

const ended = () => fail('unauthenticated', 'The session has ended.', { challenge: 'Bearer' });

const noSuchSession = () => fail('not_found', 'The session does not exist or has ended.');
