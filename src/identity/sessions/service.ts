import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import type { SessionService } from '../../../gen/latchkey/identity/v1/session_pb.js';
import { callerOf, userOf } from '../../api/principal.ts';
import { Failure, fail } from '../../base/errors/errors.ts';
import { networkOf } from '../../base/net/network.ts';
import { transact } from '../../storage/database.ts';
import { parseListRequest } from '../../storage/queries/list-request.ts';
import { createDeviceMethods, type DeviceMethodOptions } from './device-methods.ts';
import { createPasskeyMethods, type PasskeyMethodOptions } from './passkey-methods.ts';
import { isLiveSession, sessionExpireTime } from './session.ts';
import { sessionMessage } from './session-message.ts';
import type { CheckSignIn } from './sign-in-check.ts';
import type { CountedAttempt, SignInThrottle } from './sign-in-throttle.ts';
import { createSessionStarter, type StartSessionOptions, sessionEnded } from './start-session.ts';
import { endSessions, extendSession, findSession, findSessions, sessionList } from './store.ts';
import { createUserSessionMethods, type UserSessionOptions } from './user-sessions.ts';

export type SessionOptions = UserSessionOptions &
  StartSessionOptions &
  PasskeyMethodOptions &
  DeviceMethodOptions & {
    readonly check: CheckSignIn;
    readonly throttle: SignInThrottle;
    /** Whether users can sign in with a password. */
    readonly localPasswords: boolean;
    /** Empty for every provider. */
    readonly findSignInProviders: (
      domain: string,
    ) => Promise<{ readonly id: string; readonly name: string }[]>;
  };

export function createSessionService(options: SessionOptions): ServiceImpl<typeof SessionService> {
  const { db, auditLog, check, throttle, cookies, now } = options;
  const starter = createSessionStarter(options);

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
    ...createPasskeyMethods(options, starter),
    ...createDeviceMethods(options, starter),

    async getSignInOptions({ domain }) {
      const providers = await options.findSignInProviders(domain.toLowerCase());
      const { localPasswords: passwords, passkeySignIn } = options;
      return { passwords, passkeys: passkeySignIn.isAvailable, providers };
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
      const signedIn = await starter.start(context, {
        ...{ user, amr, device },
        async settle(trx, also) {
          await settle(trx);
          if (usesRecoveryCode) also('SessionService.UseRecoveryCode', user.id);
          await counted.forgive(trx);
        },
      });
      if (usesRecoveryCode) options.securityNotices.send(context, 'recoveryCodeUsed', user);
      return signedIn;
    },

    async refreshSession(_request, context) {
      const { sessionId } = userOf(context);
      const found = await findSession(db, sessionId);
      if (found === undefined) throw sessionEnded();
      const end = sessionExpireTime(found.session.create_time, now());
      const session = await transact(db, (trx) => extendSession(trx, sessionId, now(), end));
      if (session === undefined) throw sessionEnded();
      return starter.issueToken(session, found.user);
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

const noSuchSession = () => fail('not_found', 'The session does not exist or has ended.');
