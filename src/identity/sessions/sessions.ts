// The parts of users' sessions that the rest of the service uses.

import type { ServiceImpl } from '@connectrpc/connect';
import type { SessionService } from '../../../gen/latchkey/identity/v1/session_pb.js';
import type { MembershipsOf } from '../../api/principal.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/crypto/ids.ts';
import type { MasterKey } from '../../base/crypto/master-key.ts';
import type { Passwords } from '../../credentials/passwords.ts';
import type { Invalidations } from '../../storage/invalidation.ts';
import type { Database } from '../../storage/schema.ts';
import type { FactorRules } from '../factor-rules/factor-rules.ts';
import type { PasskeySignIn } from '../passkeys/sign-in.ts';
import type { LimitToGrants } from '../tokens/current-grants.ts';
import type { Signer } from '../tokens/signer.ts';
import type { RequireGrants } from '../users/grant-checks.ts';
import type { RecoveryCodeDigest } from '../users/recovery-codes.ts';
import type { SecurityNotices } from '../users/security-notices.ts';
import type { MatchSealedTotpStep } from '../users/totp.ts';
import { createCookies } from './cookies.ts';
import { createLimitToUserGrants } from './current-grants.ts';
import { createNetworkThrottle } from './network-throttle.ts';
import { createProviderSignIns, type ProviderSignIns } from './provider-sign-ins.ts';
import { createScopesOf } from './scopes.ts';
import { createSessionService } from './service.ts';
import { type AuthenticateSession, createSessionAuthenticator } from './session.ts';
import { createSignInCheck } from './sign-in-check.ts';
import { createSignInThrottle } from './sign-in-throttle.ts';

export type SessionsOptions = {
  readonly db: Database;
  readonly invalidations: Invalidations;
  readonly auditLog: AuditLog;
  readonly masterKey: MasterKey;
  readonly signer: Signer;
  readonly passwords: Passwords;
  readonly matchTotpStep: MatchSealedTotpStep;
  readonly recoveryCodeDigest: RecoveryCodeDigest;
  readonly requireToEndSessions: RequireGrants;
  readonly securityNotices: SecurityNotices;
  readonly membershipsOf: MembershipsOf;
  readonly factorRules: FactorRules;
  readonly localPasswords: boolean;
  readonly findSignInProviders: (
    domain: string,
  ) => Promise<{ readonly id: string; readonly name: string }[]>;
  readonly passkeySignIn: PasskeySignIn;
  readonly tokenSeconds: number;
  readonly publicUrl: string;
  readonly random: Random;
  readonly now: Clock;
};

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
