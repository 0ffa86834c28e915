// The parts of users' sessions that the rest of the service uses.

import type { ServiceImpl } from '@connectrpc/connect';
import type { SessionService } from '../../../gen/latchkey/identity/v1/session_pb.js';
import type { MasterKey } from '../../base/crypto/master-key.ts';
import type { LimitToGrants } from '../tokens/current-grants.ts';
import { createCookies } from './cookies.ts';
import { createLimitToUserGrants, type UserGrantsOptions } from './current-grants.ts';
import { createNetworkThrottle } from './network-throttle.ts';
import { createProviderSignIns, type ProviderSignIns } from './provider-sign-ins.ts';
import { createScopesOf } from './scopes.ts';
import { createSessionService, type SessionOptions } from './service.ts';
import { type AuthenticateSession, createSessionAuthenticator } from './session.ts';
import { createSignInCheck, type SignInCheckOptions } from './sign-in-check.ts';
import { createSignInThrottle } from './sign-in-throttle.ts';

export type SessionsOptions = SignInCheckOptions &
  Pick<UserGrantsOptions, 'invalidations' | 'membershipsOf'> &
  Omit<
    SessionOptions,
    'check' | 'throttle' | 'cookies' | 'authenticateSession' | 'scopesOf' | ThrottleName
  > & { readonly masterKey: MasterKey };

type ThrottleName = Extract<keyof SessionOptions, `${string}Throttle`>;

export type Sessions = {
  readonly service: ServiceImpl<typeof SessionService>;
  readonly authenticate: AuthenticateSession;
  readonly cookieName: string;
  readonly limitToGrants: LimitToGrants;
  readonly providerSignIns: ProviderSignIns;
};

export function createSessions(options: SessionsOptions): Sessions {
  const { db, invalidations, masterKey, membershipsOf, factorRules, publicUrl } = options;
  const { random, now } = options;
  const scopesOf = createScopesOf(membershipsOf);
  const authenticate = createSessionAuthenticator({ db, scopesOf, factorRules, now });
  const keys = masterKey.derive('sign-in device');
  const cookies = createCookies({ publicUrl, keys, random, now });
  const throttleKeys = masterKey.derive('sign-in counters');
  const networkThrottle = (purpose: string, { countsSites = false } = {}) =>
    createNetworkThrottle({ db, keys: masterKey.derive(purpose), countsSites, now });
  const throttle = createSignInThrottle({ db, keys: throttleKeys, now });
  return {
    service: createSessionService({
      ...options,
      check: createSignInCheck(options),
      throttle,
      passkeyThrottle: networkThrottle('passkey sign-in counters'),
      deviceStartThrottle: networkThrottle('device sign-in counters', { countsSites: true }),
      deviceCodeThrottle: networkThrottle('device code counters'),
      userCodeThrottle: networkThrottle('user code counters'),
      cookies,
      authenticateSession: authenticate,
      scopesOf,
    }),
    authenticate,
    providerSignIns: createProviderSignIns({
      throttle: networkThrottle('oidc sign-in counters'),
      ...{ db, cookies, authenticate, random, now },
    }),
    cookieName: cookies.sessionName,
    limitToGrants: createLimitToUserGrants({
      ...{ db, invalidations, scopesOf, factorRules, membershipsOf, now },
    }),
  };
}
