// A sign-in with a provider: the start, the return of the browser, and a logout that the provider
// reports.
import type { RouteRequest } from '../../api/routes/route.ts';
import type { AuditLog, RouteOrigin } from '../../audit/audit-log.ts';
import type { Clock } from '../../base/clock.ts';
import { isId } from '../../base/crypto/ids.ts';
import { Failure, fail } from '../../base/errors/errors.ts';
import { transact } from '../../storage/database.ts';
import type { Database, IdentityProviderRow } from '../../storage/schema/schema.ts';
import type { ProviderSignIns } from '../sessions/provider-sign-ins.ts';
import type { VerifyLogoutToken } from '../tokens/logout-tokens.ts';
import type { UseOnce } from '../tokens/single-use.ts';
import type { SecurityNotices } from '../users/security-notices.ts';
import type { FindUser } from './accounts.ts';
import { type Flows, flowSeconds, type SignInFlow, safeConsolePath } from './flow.ts';
import { type SignInProblem, SignInRefusal } from './problems.ts';
import type { RelyingParty } from './relying-party.ts';
import { findIdentity, findProvider, lockProvider } from './store.ts';

/** The calls of providers at a time. A slow provider must not fill the memory. */
const callsMax = 50;

export type ProviderSignInOptions = {
  readonly db: Database;
  readonly auditLog: AuditLog;
  readonly relyingParty: RelyingParty;
  readonly flows: Flows;
  readonly findUser: FindUser;
  readonly sessions: ProviderSignIns;
  readonly useOnce: UseOnce;
  readonly verifyLogoutToken: VerifyLogoutToken;
  readonly securityNotices: Pick<SecurityNotices, 'sendFrom'>;
  readonly publicUrl: string;
  readonly now: Clock;
};

export type Started = { readonly location: string; readonly cookie: string };

export type Finished = {
  /** The path of the console at which the sign-in started. */
  readonly next: string;
  readonly isStepUp: boolean;
  readonly outcome:
    | { readonly sessionCookie: string }
    | { readonly problem: SignInProblem; readonly error: unknown };
};

export type ProviderSignIn = {
  /** Throws SignInRefusal. */
  start(request: RouteRequest): Promise<Started>;
  finish(request: RouteRequest): Promise<Finished>;
  /** Throws `invalid_argument` for an invalid logout token. */
  logOut(request: RouteRequest): Promise<void>;
};

export function createProviderSignIn(options: ProviderSignInOptions): ProviderSignIn {
  const { db, auditLog, relyingParty, flows, sessions, publicUrl, now } = options;
  let calls = 0;

  /** Counts an attempt of the network, unless it succeeds. */
  async function withinLimits<T>(peer: string, work: () => Promise<T>): Promise<T> {
    if (calls >= callsMax) throw new SignInRefusal('too_many');
    calls++;
    try {
      const counted = await sessions.throttle.count(peer).catch((error: unknown) => {
        const isEarly = error instanceof Failure && error.code === 'rate_limited';
        throw isEarly ? new SignInRefusal('too_many') : error;
      });
      const result = await work();
      await transact(db, (trx) => counted.takeBack(trx));
      return result;
    } finally {
      calls--;
    }
  }

  async function requireProvider(id: string): Promise<IdentityProviderRow> {
    const provider = isId('idp', id) ? await findProvider(db, id) : undefined;
    if (provider === undefined || provider.enabled === 0) {
      throw new SignInRefusal('provider_disabled');
    }
    return provider;
  }

  async function complete(request: RouteRequest, flow: SignInFlow): Promise<string> {
    const { peer } = request;
    const origin = originOf(request);
    if (request.variables.provider_id !== flow.providerId) {
      throw new SignInRefusal('response_invalid');
    }
    const provider = await requireProvider(flow.providerId);
    if (!(await options.useOnce(['oidc state', flow.state], now() + flowSeconds * 1000))) {
      throw new SignInRefusal('expired');
    }
    const account = await relyingParty.redeem(provider, flow, request.query);
    const signedIn = await auditLog.signIn(origin, async (trx, also) => {
      const current = await lockProvider(trx, provider.id);
      if (current === undefined || current.enabled === 0) {
        throw new SignInRefusal('provider_disabled');
      }
      const { user, isNewlyLinked } = await options.findUser(trx, current, account, also);
      if (flow.stepUp !== undefined && flow.stepUp.userId !== user.id) {
        throw new SignInRefusal('other_user', { target: user.id });
      }
      const started = await sessions.start(trx, {
        user,
        address: peer,
        userAgent: request.header('user-agent'),
        amr: account.amr.join(' '),
        // Without a time, the sign-in does not count as recent. A clock may be ahead.
        authTime: Math.min(account.authTime ?? 0, now()),
        provider: { id: provider.id, sid: account.sid },
        replacedId: flow.sessionId,
      });
      const { id, kind } = user;
      return { ...started, user, isNewlyLinked, target: started.id, actor: { type: kind, id } };
    });
    if (signedIn.isNewlyLinked) {
      options.securityNotices.sendFrom(peer, 'identityLinked', signedIn.user);
    }
    return signedIn.cookie;
  }

  /** Waits for sign-ins in progress: one of them may be the first one of this account. */
  function findSignedIn({ id }: IdentityProviderRow, subject: string) {
    return transact(db, async (trx) => {
      await lockProvider(trx, id);
      return findIdentity(trx, id, subject);
    });
  }

  return {
    async start(request) {
      const { query } = request;
      const provider = await requireProvider(request.variables.provider_id ?? '');
      const session = await sessions.current(request.header('cookie'));
      const isStepUp = query.get('step_up') === 'true';
      if (isStepUp && session === undefined) throw new SignInRefusal('expired');
      const flow = flows.create({
        providerId: provider.id,
        next: safeConsolePath(query.get('next'), publicUrl),
        ...(session && { sessionId: session.sessionId }),
        ...(isStepUp && session && { stepUp: { userId: session.userId, email: session.email } }),
      });
      const location = await withinLimits(request.peer, () =>
        relyingParty.authorizationUrl(provider, flow),
      );
      return { location, cookie: flows.write(flow) };
    },

    async finish(request) {
      const flow = flows.read(request);
      if (flow === undefined) return refused(new SignInRefusal('expired'));
      try {
        const sessionCookie = await withinLimits(request.peer, () => complete(request, flow));
        return { next: flow.next, isStepUp: flow.stepUp !== undefined, outcome: { sessionCookie } };
      } catch (error) {
        if (!(error instanceof SignInRefusal)) throw error;
        const { target, problem } = error;
        if (problem !== 'too_many') await auditLog.refuseSignIn(originOf(request), target);
        return refused(error, flow);
      }
    },

    async logOut(request) {
      const provider = await requireProvider(request.variables.provider_id ?? '').catch(() => {
        throw noSuchProvider();
      });
      const { issuer, jwksUri } = await relyingParty.metadata(provider).catch((cause: unknown) => {
        throw fail('unavailable', 'The identity provider is not available.', { cause });
      });
      const facts = { issuer, jwksUri, clientId: provider.client_id };
      const text = request.form.get('logout_token') ?? '';
      const { subject, sid, settle } = await options.verifyLogoutToken(text, facts);
      const identity = subject === undefined ? undefined : await findSignedIn(provider, subject);
      // An account that never signed in has no session.
      if (subject !== undefined && identity === undefined) return;
      const change = { target: identity?.user_id ?? provider.id, revokes: true };
      await auditLog.changeBySystem('SessionService.LogOutByProvider', change, async (trx) => {
        // Waits for sessions that are starting, so that they end, too.
        await lockProvider(trx, provider.id);
        await settle(trx);
        return sessions.end(trx, { providerId: provider.id, sid, userId: identity?.user_id });
      });
    },
  };
}

function refused(error: SignInRefusal, flow?: SignInFlow): Finished {
  const { problem } = error;
  const { next = '/console/', stepUp } = flow ?? {};
  return { next, isStepUp: stepUp !== undefined, outcome: { problem, error } };
}

const originOf = ({ requestId, peer }: RouteRequest): RouteOrigin => ({
  action: 'SessionService.SignInWithProvider',
  requestId,
  address: peer,
});

const noSuchProvider = () => fail('not_found', 'The identity provider does not exist.');
