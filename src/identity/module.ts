// The identity module: issuing and verifying tokens, and managing clients, customers, users and
// signing keys.

import { availableParallelism } from 'node:os';
import type { BearerAuthentication } from '../api/authentication.ts';
import { createAuditService } from '../audit/service.ts';
import { createSignedValues } from '../base/crypto/signed-value.ts';
import { createEgress } from '../base/net/egress.ts';
import { createEgressFetch, isEgressUrl } from '../base/net/egress-fetch.ts';
import { createCredentials } from '../credentials/credentials.ts';
import { createCredentialDirectory, workspaceKeyAuthenticator } from '../credentials/directory.ts';
import { createPasswords } from '../credentials/passwords.ts';
import { createCredentialUsage } from '../credentials/usage/usage.ts';
import { connectAccess } from './access-sources.ts';
import { createAccountService } from './accounts/service.ts';
import { openAudiences } from './audiences/audiences.ts';
import { createAudienceService } from './audiences/service.ts';
import { lockAudiences } from './audiences/store.ts';
import { createClientService } from './clients/service.ts';
import {
  clientLookups,
  findClient,
  findIdentitiesOfClient,
  findLiveClientKeys,
} from './clients/store.ts';
import { createCustomerService } from './customers/service.ts';
import { discoveryRoutes } from './discovery/routes.ts';
import { createFactorCheck } from './factor-rules/factor-check.ts';
import { createFactorRules } from './factor-rules/factor-rules.ts';
import { openStaffRule } from './factor-rules/staff-rule.ts';
import { signingAlgorithms } from './keys/algorithms.ts';
import { createAudienceKeys } from './keys/audience-keys.ts';
import { loadEd25519 } from './keys/ed25519.ts';
import { openKeyring } from './keys/keyring.ts';
import { createReceiptKeys } from './keys/receipt-keys.ts';
import { startRotation } from './keys/rotation.ts';
import { createSigningKeyService } from './keys/service.ts';
import { createSignatureThread } from './keys/signature-thread.ts';
import { raiseTokenSeconds } from './keys/store.ts';
import type { IdentityModuleOptions } from './module-types.ts';
import { createPasskeys } from './passkeys/passkeys.ts';
import { createProviders } from './providers/providers.ts';
import { findEnabledProviders } from './providers/store.ts';
import { identitySearchKinds } from './search-kinds.ts';
import { createSessions } from './sessions/sessions.ts';
import { addSessionMethods } from './sessions/store.ts';
import { createAssertingClients } from './tokens/asserting-clients.ts';
import { principalFrom } from './tokens/claims.ts';
import { createAssertionVerifier } from './tokens/client-assertions.ts';
import { createClientAuthentication } from './tokens/client-authentication.ts';
import { assertionAlgorithms, checkJwk } from './tokens/client-jwk.ts';
import { createLimitToGrants } from './tokens/current-grants.ts';
import { createDpopProofs } from './tokens/dpop-proofs.ts';
import { createFederatedVerifier } from './tokens/federated-assertions.ts';
import { createIssuanceService, grantTypes } from './tokens/issuance-service.ts';
import { openKeys, pinnedKeys, storedKeys } from './tokens/jwk-set.ts';
import { createLogoutTokenVerifier } from './tokens/logout-tokens.ts';
import { createOAuthService } from './tokens/oauth-service.ts';
import { createProgramReaders } from './tokens/program-readers.ts';
import { openRevocations } from './tokens/revocations.ts';
import { createSignatures } from './tokens/signatures.ts';
import { createSigner } from './tokens/signer.ts';
import { createUseOnce } from './tokens/single-use.ts';
import { createTokenBinding, proofAlgorithms } from './tokens/token-binding.ts';
import { createTokenExchange } from './tokens/token-exchange.ts';
import { createVerificationService } from './tokens/verification-service.ts';
import { createVerifier } from './tokens/verifier.ts';
import { openTrustedIssuers } from './trusted-issuers/issuers.ts';
import { startKeyReader } from './trusted-issuers/key-reader.ts';
import { createTrustedIssuerService } from './trusted-issuers/service.ts';
import { lockTrustedIssuer } from './trusted-issuers/store.ts';
import { createUsageService } from './usage/service.ts';
import { createUserExport } from './user-data/export.ts';
import { createUserAccessService } from './users/access-service.ts';
import { createCurrentPasswordCheck } from './users/current-password.ts';
import { createActAsCheck, createSessionEndCheck } from './users/grant-checks.ts';
import { requireHoldersLeft } from './users/last-holders.ts';
import { createNewMembers } from './users/new-members.ts';
import { createPasswordResets } from './users/password-resets.ts';
import { createPasswordRules } from './users/password-rules.ts';
import { recoveryCodeDigest } from './users/recovery-codes.ts';
import { createSecurityNotices } from './users/security-notices.ts';
import { createUserService } from './users/service.ts';
import { createSealedTotpMatcher } from './users/totp.ts';

/** The parts that the service uses. */
export type IdentityModule = Awaited<ReturnType<typeof createIdentityModule>>;

const sessionTokenSeconds = 300;

/** How an identity provider may answer. Metadata, keys and tokens are much smaller. */
const providerLimits = { timeoutMs: 5_000, bytesMax: 256 * 1024 };

export async function createIdentityModule(options: IdentityModuleOptions) {
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
  const revocations = openRevocations({ db, invalidations, masterKey, now });
  const onError = (error: unknown) => log.error({ err: error }, 'signing key rotation failed');
  const rotation = await startRotation({
    ...{ masterKey, keyring, auditLog, rotationDays, now, onError },
    lease: options.leases.lease('signing key rotation'),
  });
  onFailure(rotation.stop);
  const credentials = createCredentials({ db, now });
  const usage = createCredentialUsage({ db, observe: options.observeUsage, now });
  onFailure(usage.stop);
  const directory = createCredentialDirectory({ db, invalidations, recordUse: usage.record, now });
  const passwords = createPasswords();
  const localPasswords = config.localPasswords === 'on';
  const checkPassword = createPasswordRules(localPasswords);
  const audiences = await openAudiences({ db, invalidations, publicUrl, own: config.audience });
  const signer = createSigner({ keyring, ownAudience: audiences.own, now });
  const signatures = createSignatures({ keyring, invalidations, now });
  const warn = (facts: object, message: string) => log.warn(facts, message);
  const securityNotices = createSecurityNotices({
    ...{ db, mailer: options.mailer, publicUrl, warn, now },
    keys: masterKey.derive('security notices'),
  });
  const useOnce = createUseOnce(db);
  const requireToActAs = createActAsCheck(rolesOf);
  const factorRules = createFactorRules({
    staffDueTime: await openStaffRule({
      ...{ db, now, graceDays: config.secondFactorGraceDays },
      isRequired: config.requireSecondFactor === 'staff',
    }),
    membershipsOf,
  });
  const requireFactor = createFactorCheck(factorRules);
  const passkeys = createPasskeys({
    ...{ db, auditLog, masterKey, useOnce, securityNotices, requireToActAs },
    ...{ addSessionMethods, requireFactor, publicUrl, random, now },
  });
  const sessions = createSessions({
    ...{ db, invalidations, auditLog, masterKey, signer, passwords, securityNotices },
    ...{ recoveryCodeDigest, membershipsOf, factorRules, localPasswords, publicUrl, random, now },
    matchTotpStep: createSealedTotpMatcher(masterKey, now),
    requireToEndSessions: createSessionEndCheck(rolesOf),
    findSignInProviders: (domain) => findEnabledProviders(db, domain),
    passkeySignIn: passkeys.signIn,
    tokenSeconds: sessionTokenSeconds,
  });
  const passwordResets = createPasswordResets({
    ...{ db, auditLog, mailer: options.mailer, passwords, publicUrl, warn, random, now },
    ...{ checkPassword, localPasswords, rolesOf },
    keys: masterKey.derive('password resets'),
    securityNotices,
  });
  const { egressNetworks: networks, stepUpSeconds } = config;
  const egressFetch = createEgressFetch({ networks, ...providerLimits });
  const mayCall = (url: string) => isEgressUrl(url, networks);
  const providers = createProviders({
    ...{ db, auditLog, masterKey, egressFetch, useOnce, securityNotices, stepUpSeconds },
    ...{ mappedRoles: options.mappedRoles, publicUrl, random, now },
    sessions: sessions.providerSignIns,
    ...{ isEgressUrl: mayCall, requireToActAs, requireHoldersLeft },
    verifyLogoutToken: createLogoutTokenVerifier({ egressFetch, useOnce, now }),
  });
  const limitToGrants = createLimitToGrants({
    ...{ db, invalidations, audiences },
    limitToUserGrants: sessions.limitToGrants,
    now,
  });
  const keyReader = startKeyReader({
    ...{ db, storedKeys, warn, now },
    readJson: createEgress({ networks }),
    lease: options.leases.lease('keys of trusted issuers'),
  });
  onFailure(keyReader.stop);
  const findAssertingClient = createAssertingClients({
    ...{ db, invalidations, findClient, findLiveKeys: findLiveClientKeys, now },
    findIdentities: findIdentitiesOfClient,
  });
  const authenticateClient = createClientAuthentication({
    ...{ directory, db, invalidations, passwords, masterKey, recordUse: usage.record, now },
    ...clientLookups(db),
    verifyAssertion: createAssertionVerifier({
      ...{ useOnce, findClient: findAssertingClient, recordUse: usage.record, now },
      audiences: [issuer, `${issuer}/tokens`],
      verifyFederated: createFederatedVerifier({
        issuers: await openTrustedIssuers({ db, invalidations, openKeys, publicUrl, now }),
        ...{ refresh: keyReader.refresh, findClient: findAssertingClient, now },
      }),
    }),
  });
  const verifier = createVerifier({
    ...{ signatures, revocations, limitToGrants, audiences, issuer, now },
  });
  const nonceKeys = masterKey.derive('DPoP nonces');
  const proofs = createDpopProofs({
    ...{ useOnce, now },
    nonces: createSignedValues({ keys: nonceKeys, now }),
  });
  const binding = createTokenBinding({ proofs, publicUrl });
  const bearer: BearerAuthentication = {
    async authenticateToken(token, validAt, call, isDpop) {
      const claims = await verifier.verify(token, validAt);
      if (claims === undefined) return undefined;
      if (isDpop || claims.cnf !== undefined) {
        await binding.requireKey(claims, { token, call, isDpop });
      }
      return principalFrom(claims);
    },
    authenticateWorkspaceKey: workspaceKeyAuthenticator(directory),
  };
  const audienceKeys = createAudienceKeys({ masterKey, now });
  const management = { db, auditLog, keptBackups: options.keptBackups, random, now };
  const owners = { ...management, credentials, lockAudiences };
  return {
    searchKinds: identitySearchKinds,
    credentials,
    passwords,
    newMembers: createNewMembers({ passwords, checkPassword, random, now }),
    keyring,
    receiptKeys: createReceiptKeys({ db, masterKey, auditLog, now }),
    ...{ signer, rotation, sessions, securityNotices, ...bearer },
    requireOwnFactor: requireFactor.bind(undefined, db),
    authenticateProgram: createProgramReaders({ ...bearer, db, now }),
    /** Writes the pending last-used times and stops the background tasks. */
    async stop() {
      await Promise.all([
        ...[usage.stop(), rotation.stop(), keyReader.stop(), thread?.close()],
        ...[passwordResets.stop(), securityNotices.settle()],
      ]);
    },
    routes: [
      ...discoveryRoutes({
        ...{ issuer, grantTypes },
        requestsCertificates: config.httpClientCa !== undefined,
        algorithms: {
          ...{ tokens: signingAlgorithms, assertions: assertionAlgorithms },
          proofs: proofAlgorithms,
        },
      }),
      ...providers.routes,
    ],
    services: {
      issuance: createIssuanceService({
        ...{ authenticateClient, directory, audiences, signer, binding, usage },
        ...{ serviceTokenSeconds, customerTokenSeconds },
        exchangeToken: createTokenExchange({ verifier, audiences, signer, serviceTokenSeconds }),
      }),
      verification: createVerificationService({
        ...{ keyring, verifier, proofs, usage, revocations, auditLog },
      }),
      oauth: createOAuthService({ authenticateClient, verifier, usage, revocations, auditLog }),
      account: createAccountService(db),
      audience: createAudienceService({ ...management, keys: audienceKeys }),
      trustedIssuer: createTrustedIssuerService({
        ...management,
        ...{ pinnedKeys, publicUrl },
        isEgressUrl: mayCall,
        readSoon: keyReader.readSoon,
      }),
      client: createClientService({
        ...owners,
        ...{ checkJwk, lockTrustedIssuer, coverTokenSeconds: raiseTokenSeconds },
      }),
      customer: createCustomerService(owners),
      session: sessions.service,
      identityProvider: providers.service,
      passkey: passkeys.service,
      passwordReset: passwordResets.service,
      signingKey: createSigningKeyService({ db, masterKey, auditLog, now }),
      usage: createUsageService({ db, now }),
      audit: createAuditService({ db }),
      user: createUserService({
        ...{ ...management, masterKey, passwords, securityNotices, rolesOf },
        ...{ checkPassword, addSessionMethods, requireFactor, shared: options.sharedAccess },
        ...createUserExport({ db, sharedData: options.sharedData }),
        mailPasswordLink: passwordResets.mailPasswordLink,
        checkCurrentPassword: createCurrentPasswordCheck({
          ...{ db, passwords, now },
          keys: masterKey.derive('current passwords'),
        }),
      }),
      userAccess: createUserAccessService({
        ...{ db, auditLog, rolesOf, now },
        ...connectAccess(options.sharedAccess, serviceTokenSeconds),
      }),
    },
  };
}

/** Without a free core, the signature thread would only slow down the workers. */
const hasFreeCore = (workers: number) => workers !== 0 && workers < availableParallelism();
