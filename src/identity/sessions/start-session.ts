// Starts the session of a user who has signed in with an rpc, and issues its tokens.
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { HandlerContext } from '@connectrpc/connect';
import { callerOf } from '../../api/principal.ts';
import type { ManagementOptions } from '../../audit/audit-log.ts';
import { hasEventOf } from '../../audit/store.ts';
import { fail } from '../../base/errors/errors.ts';
import type { Executor, SessionRow, UserRow } from '../../storage/schema/schema.ts';
import type { FactorRules } from '../factor-rules/factor-rules.ts';
import type { Signer } from '../tokens/signer.ts';
import type { SecurityNotices } from '../users/security-notices.ts';
import { type Cookies, deviceMs } from './cookies.ts';
import type { ScopesOf } from './scopes.ts';
import {
  type AuthenticateSession,
  claimsOf,
  createSession,
  type SessionFacts,
  sessionMsMax,
  sessionsMax,
} from './session.ts';
import { endSessions, findOldSessions, insertSession } from './store.ts';

export type StartSessionOptions = ManagementOptions & {
  readonly signer: Signer;
  readonly cookies: Cookies;
  readonly authenticateSession: AuthenticateSession;
  readonly scopesOf: ScopesOf;
  readonly factorRules: FactorRules;
  readonly securityNotices: SecurityNotices;
  readonly tokenSeconds: number;
};

type CheckedUser = {
  readonly user: UserRow;
  readonly amr: string;
  /** The device of the browser, if the user has signed in there before. */
  readonly device: string | undefined;
  /** By default, the user signs in now and without a provider. */
  readonly authTime?: SessionFacts['authTime'];
  readonly provider?: SessionFacts['provider'];
  /** Runs in the transaction of the sign-in. */
  readonly settle: (trx: Executor, also: (action: string, target: string) => void) => Promise<void>;
};

const signInActions = [
  'SessionService.SignIn',
  'SessionService.SignInWithPasskey',
  'SessionService.SignInWithDeviceCode',
];

export function createSessionStarter(options: StartSessionOptions) {
  const { db, auditLog, signer, cookies, scopesOf, factorRules, securityNotices } = options;
  const { tokenSeconds, random, now } = options;

  async function issueToken(session: SessionRow, user: UserRow) {
    const dueTime = await factorRules.dueTimeOf(session, user);
    const isLimited = dueTime !== undefined && now() >= dueTime;
    const scopes = isLimited ? new Set<string>() : await scopesOf(user);
    const claims = claimsOf(session, user, scopes);
    const notAfter = Math.floor(session.expire_time / 1000);
    const { token, lifetimeSeconds } = await signer.sign(claims, tokenSeconds, { notAfter });
    if (lifetimeSeconds < 1) throw sessionEnded();
    const { id, email, name, kind } = user;
    return {
      accessToken: token,
      tokenType: 'Bearer',
      expiresIn: lifetimeSeconds,
      scope: claims.scope,
      user: {
        ...{ id, email, name, kind },
        ...(dueTime === undefined ? {} : { secondFactorDueTime: timestampFromMs(dueTime) }),
      },
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
    if (create_time <= now() - deviceMs) return false;
    for (const action of signInActions) if (await hasEventOf(db, id, action)) return false;
    return true;
  }

  return {
    issueToken,
    async start(context: HandlerContext, checked: CheckedUser) {
      const { user, amr, device, authTime, provider, settle } = checked;
      const { call } = callerOf(context);
      const replaced = await findReplaced(user, context);
      const isNewDevice = device === undefined && !(await isFirstSignIn(user));
      const own = {
        userId: user.id,
        amr,
        address: call.peer,
        userAgent: call.header('user-agent'),
        ...(authTime === undefined ? {} : { authTime }),
        ...(provider === undefined ? {} : { provider }),
      };
      const { row, cookie } = createSession(random, now(), own);
      const { id, kind } = user;
      const change = { target: id, actor: { type: kind, id } };
      await auditLog.change(context, change, async (trx, also) => {
        await settle(trx, also);
        await endSessions(trx, replaced, now());
        await insertSession(trx, row);
      });
      const signedIn = await issueToken(row, user);
      cookies.writeSession(context, cookie, sessionMsMax / 1000);
      cookies.writeDevice(context, user.email, device);
      if (isNewDevice) securityNotices.send(context, 'newDevice', user);
      return signedIn;
    },
  };
}

export type SessionStarter = ReturnType<typeof createSessionStarter>;

export const sessionEnded = () =>
  fail('unauthenticated', 'The session has ended.', { challenge: 'Bearer' });
