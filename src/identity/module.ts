// The identity module: issuing and verifying tokens, and managing clients, customers, users and
// signing keys.

import { availableParallelism } from 'node:os';
import type { Authenticate } from '../api/authentication.ts';
import type { MembershipsOf } from '../api/principal.ts';
import type { HttpRoute } from '../api/routes/route.ts';
import type { Implementations } from '../api/services.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { createAuditService } from '../audit/service.ts';
import type { Clock } from '../base/clock.ts';
import type { Config } from '../base/config/config.ts';
import type { Random } from '../base/crypto/ids.ts';
import type { MasterKey } from '../base/crypto/master-key.ts';
import type { Mailer } from '../base/mail/mailer.ts';
import { type Credentials, createCredentials } from '../credentials/credentials.ts';
import { type CredentialDirectory, createCredentialDirectory } from '../credentials/directory.ts';
import { createPasswords, type Passwords } from '../credentials/passwords.ts';
import { createCredentialUsage } from '../credentials/usage.ts';
import type { Log } from '../observe/log.ts';
import type { Invalidations } from '../storage/invalidation.ts';
import type { Leases } from '../storage/leases.ts';
import type { Database } from '../storage/schema.ts';
import { createAccountService } from './accounts/service.ts';
import { openAudiences } from './audiences/audiences.ts';
import { createAudienceService } from './audiences/service.ts';
import { lockAudiences } from './audiences/store.ts';
import { createClientService } from './clients/service.ts';
import { findClient, findClientsByNames, findLiveClientKeys } from './clients/store.ts';
import { createCustomerService } from './customers/service.ts';
import { discoveryRoutes } from './discovery/routes.ts';
import { loadEd25519 } from './keys/ed25519.ts';
import { type Keyring, openKeyring } from './keys/keyring.ts';
import { createReceiptKeys, type ReceiptKeys } from './keys/receipt-keys.ts';
import { type Rotation, startRotation } from './keys/rotation.ts';
import { createSigningKeyService } from './keys/service.ts';
import { createSignatureThread } from './keys/signature-thread.ts';
import { raiseTokenSeconds } from './keys/store.ts';
import { createSessions, type Sessions } from './sessions/sessions.ts';
import { principalFrom } from './tokens/claims.ts';
import { createAssertionVerifier } from './tokens/client-assertions.ts';
import { createClientAuthentication } from './tokens/client-authentication.ts';
import { assertionAlgorithms, checkJwk } from './tokens/client-jwk.ts';
import { createLimitToGrants } from './tokens/current-grants.ts';
import { createIssuanceService } from './tokens/issuance-service.ts';
import { createOAuthService } from './tokens/oauth-service.ts';
import { openRevocations } from './tokens/revocations.ts';
import { createSignatures } from './tokens/signatures.ts';
import { createSigner, type Signer } from './tokens/signer.ts';
import { createVerificationService } from './tokens/verification-service.ts';
import { createVerifier } from './tokens/verifier.ts';
import { createCurrentPasswordCheck } from './users/current-password.ts';
import { createSessionEndCheck, type RolesOf } from './users/grant-checks.ts';
import { createNewMembers, type MemberAccounts } from './users/new-members.ts';
import { createPasswordResets } from './users/password-resets.ts';
import { recoveryCodeDigest } from './users/recovery-codes.ts';
import { createSecurityNotices } from './users/security-notices.ts';
import { createUserService } from './users/service.ts';
import { createSealedTotpMatcher } from './users/totp.ts';

const sessionTokenSeconds = 300;

export type IdentityModule = {
  readonly services: Pick<
    Implementations,
    | 'issuance'
    | 'verification'
    | 'oauth'
    | 'account'
    | 'audience'
    | 'client'
    | 'customer'
    | 'session'
    | 'passwordReset'
    | 'audit'
    | 'signingKey'
    | 'user'
  >;
  readonly credentials: Credentials;
  readonly passwords: Passwords;
  readonly newMembers: MemberAccounts;
  readonly keyring: Keyring;
  readonly receiptKeys: ReceiptKeys;
  readonly signer: Signer;
  readonly rotation: Rotation;
  readonly sessions: Sessions;
  readonly authenticateToken: Authenticate;
  readonly authenticateWorkspaceKey: Authenticate;
  readonly routes: readonly HttpRoute[];
  /** Writes the pending last-used times and stops the background tasks. */
  stop(): Promise<void>;
};

export type IdentityModuleOptions = {
  readonly config: Pick<
    Config,
    'audience' | 'serviceTokenSeconds' | 'customerTokenSeconds' | 'keyRotationDays' | 'workers'
  >;
  readonly threadProgram: string;
  readonly log: Log;
  readonly db: Database;
  readonly invalidations: Invalidations;
  readonly leases: Leases;
  readonly auditLog: AuditLog;
  readonly masterKey: MasterKey;
  readonly mailer: Mailer;
  readonly membershipsOf: MembershipsOf;
  readonly rolesOf: RolesOf;
  readonly publicUrl: string;
  readonly random: Random;
  readonly now: Clock;
  readonly onFailure: (close: () => unknown) => void;
};

export async function createIdentityModule(
  options: IdentityModuleOptions,
): Promise<IdentityModule> {
  const { config, log, db, invalidations, auditLog, masterKey, publicUrl, random, now } = options;
  const { membershipsOf, rolesOf, onFailure } = options;
  const issuer = publicUrl;
  const { serviceTokenSeconds, customerTokenSeconds, keyRotationDays: rotationDays } = config;
  const tokenSecondsMax = Math.max(serviceTokenSeconds, customerTokenSeconds, sessionTokenSeconds);
  const thread = hasFreeCore(config.workers)
    ? createSignatureThread({
        program: options.threadProgram,
        onError: (err) =>
          log.error({ err }, 'signature thread failed; the main thread computes all signatures'),
      })
    : undefined;
  const ed25519 = await loadEd25519(thread);
  log.info({ implementation: ed25519.name }, 'signs tokens with Ed25519');
  const keys = { db, masterKey, ed25519, invalidations };
  const keyring = await openKeyring({ ...keys, tokenSecondsMax, now });
  const revocations = openRevocations({ db, invalidations, now });
  const onError = (error: unknown) => log.error({ err: error }, 'signing key rotation failed');
  const rotation = await startRotation({
    masterKey,
    keyring,
    auditLog,
    rotationDays,
    lease: options.leases.lease('signing key rotation'),
    now,
    onError,
  });
  onFailure(rotation.stop);
  const credentials = createCredentials({ db, now });
  const usage = createCredentialUsage({ db, now });
  onFailure(usage.stop);
  const directory = createCredentialDirectory({ db, invalidations, recordUse: usage.record, now });
  const passwords = createPasswords();
  const audiences = await openAudiences({ db, invalidations, publicUrl, own: config.audience });
  const signer = createSigner({ keyring, ownAudience: audiences.own, now });
  const signatures = createSignatures({ keyring, invalidations, now });
  const warn = (facts: object, message: string) => log.warn(facts, message);
  const securityNotices = createSecurityNotices({
    ...{ db, mailer: options.mailer, publicUrl, warn, now },
    keys: masterKey.derive('security notices'),
  });
  const sessions = createSessions({
    db,
    invalidations,
    auditLog,
    masterKey,
    signer,
    passwords,
    matchTotpStep: createSealedTotpMatcher(masterKey, now),
    recoveryCodeDigest,
    requireToEndSessions: createSessionEndCheck(rolesOf),
    securityNotices,
    membershipsOf,
    tokenSeconds: sessionTokenSeconds,
    publicUrl,
    random,
    now,
  });
  const passwordResets = createPasswordResets({
    ...{ db, auditLog, mailer: options.mailer, passwords, publicUrl, warn, random, now },
    keys: masterKey.derive('password resets'),
    securityNotices,
  });
  const limitToGrants = createLimitToGrants({
    ...{ db, invalidations, audiences },
    limitToUserGrants: sessions.limitToGrants,
    now,
  });
  const authenticateClient = createClientAuthentication({
    ...{ directory, now },
    findClientsByNames: (names) => findClientsByNames(db, names),
    verifyAssertion: createAssertionVerifier({
      ...{ db, invalidations, findClient, findLiveKeys: findLiveClientKeys, now },
      audiences: [issuer, `${issuer}/tokens`],
    }),
  });
  const verifier = createVerifier({
    ...{ signatures, revocations, limitToGrants, audiences, issuer, now },
  });
  const management = { db, auditLog, random, now };
  const owners = { ...management, credentials, lockAudiences };
  return {
    credentials,
    passwords,
    newMembers: createNewMembers({ passwords, random, now }),
    keyring,
    receiptKeys: createReceiptKeys({ db, masterKey, auditLog, now }),
    signer,
    rotation,
    sessions,
    async authenticateToken(token, validAt) {
      const claims = await verifier.verify(token, validAt);
      return claims === undefined ? undefined : principalFrom(claims);
    },
    authenticateWorkspaceKey: workspaceKeyAuthenticator(directory),
    async stop() {
      await Promise.all([
        ...[usage.stop(), rotation.stop(), thread?.close()],
        ...[passwordResets.stop(), securityNotices.stop()],
      ]);
    },
    routes: discoveryRoutes(issuer, assertionAlgorithms),
    services: {
      issuance: createIssuanceService({
        ...{ authenticateClient, directory, audiences, signer },
        ...{ serviceTokenSeconds, customerTokenSeconds },
      }),
      verification: createVerificationService({ keyring, verifier, revocations, auditLog }),
      oauth: createOAuthService({ authenticateClient, verifier, revocations, auditLog }),
      account: createAccountService(db),
      audience: createAudienceService(management),
      client: createClientService({ ...owners, checkJwk, coverTokenSeconds: raiseTokenSeconds }),
      customer: createCustomerService(owners),
      session: sessions.service,
      passwordReset: passwordResets.service,
      signingKey: createSigningKeyService({ db, masterKey, auditLog, now }),
      audit: createAuditService({ db }),
      user: createUserService({
        ...{ db, auditLog, masterKey, passwords, securityNotices, rolesOf, random, now },
        checkCurrentPassword: createCurrentPasswordCheck({
          ...{ db, passwords, now },
          keys: masterKey.derive('current passwords'),
        }),
      }),
    },
  };
}

/** Without a free core, the signature thread would only slow down the workers. */
const hasFreeCore = (workers: number) => workers !== 0 && workers < availableParallelism();

function workspaceKeyAuthenticator(directory: CredentialDirectory): Authenticate {
  return async (text, validAt) => {
    const key = await directory.authenticate('wk', text, { validAt });
    if (key === undefined) return undefined;
    const { id, ownerId, scopes } = key;
    return { type: 'workspace_key', keyId: id, workspaceId: ownerId, scopes };
  };
}
