// The wing of tokens: who may do what, and how that is managed.
import { createAccountService } from '../identity/accounts/service.ts';
import { createAuditService } from '../identity/audit/service.ts';
import { createClientService } from '../identity/clients/service.ts';
import { type Credentials, createCredentials } from '../identity/credentials/credentials.ts';
import { createDirectory, type Directory } from '../identity/credentials/directory.ts';
import { createUsage } from '../identity/credentials/usage.ts';
import { createCustomerService } from '../identity/customers/service.ts';
import { type Keyring, openKeyring } from '../identity/keys/keyring.ts';
import { type Rotation, startRotation } from '../identity/keys/rotation.ts';
import { createSigningKeyService } from '../identity/keys/service.ts';
import { createSessions, type Sessions } from '../identity/sessions/sessions.ts';
import { principalFrom } from '../identity/tokens/claims.ts';
import { createIssuanceService } from '../identity/tokens/issuance-service.ts';
import { openRevocations } from '../identity/tokens/revocations.ts';
import { createSignatures } from '../identity/tokens/signatures.ts';
import { createSigner, type Signer } from '../identity/tokens/signer.ts';
import { createStanding } from '../identity/tokens/standing.ts';
import { createVerificationService } from '../identity/tokens/verification-service.ts';
import { createVerifier } from '../identity/tokens/verifier.ts';
import { createPasswords, type Passwords } from '../identity/users/passwords.ts';
import type { RolesOf } from '../identity/users/privilege.ts';
import { createUserService } from '../identity/users/service.ts';
import { createSealedStepOf } from '../identity/users/totp.ts';
import type { Authenticate } from '../rpc/credential.ts';
import type { MembershipsOf } from '../rpc/principal.ts';
import type { Implementations } from '../services.ts';

import type { Base } from './base.ts';

/** The life of the token of a user's session. */
const sessionTokenSeconds = 300;

export type Identity = {
  readonly services: Pick<
    Implementations,
    | 'issuance'
    | 'verification'
    | 'account'
    | 'client'
    | 'customer'
    | 'session'
    | 'audit'
    | 'signingKey'
    | 'user'
  >;
  readonly credentials: Credentials;
  readonly passwords: Passwords;
  readonly keyring: Keyring;
  readonly signer: Signer;
  readonly rotation: Rotation;
  readonly sessions: Sessions;
  readonly authenticateToken: Authenticate;
  readonly authenticateWorkspaceKey: Authenticate;
  /** Writes what was not written yet. */
  stop(): Promise<void>;
};

type IdentityNeeds = { readonly membershipsOf: MembershipsOf; readonly rolesOf: RolesOf };

export async function buildIdentity(
  base: Base,
  { membershipsOf, rolesOf }: IdentityNeeds,
): Promise<Identity> {
  const { config, log, db, changes, trail, masterKey, now, random, publicUrl } = base;
  const issuer = publicUrl;
  const audience = () => config.audience ?? publicUrl();
  const { serviceTokenSeconds, customerTokenSeconds, keyRotationDays: rotationDays } = config;
  const tokenSecondsMax = Math.max(serviceTokenSeconds, customerTokenSeconds, sessionTokenSeconds);
  const keyring = await openKeyring({ db, masterKey, changes, tokenSecondsMax, now });
  const onError = (error: unknown) => log.error({ err: error }, 'the rotation of keys failed');
  const rotation = await startRotation({
    masterKey,
    keyring,
    changes,
    trail,
    rotationDays,
    now,
    onError,
  });
  const revocations = await openRevocations({ db, changes, now });
  const credentials = createCredentials({ db, now });
  const usage = createUsage({ db, now });
  const directory = createDirectory({ db, changes, noteUse: usage.note, now });
  const passwords = createPasswords();
  const signer = createSigner({ keyring, issuer, audience, now });
  const signatures = createSignatures({ keyring, changes, now });
  const sessions = createSessions({
    ...base,
    signer,
    passwords,
    stepOf: createSealedStepOf(masterKey, now),
    membershipsOf,
    tokenSeconds: sessionTokenSeconds,
  });
  const narrow = createStanding({ db, changes, narrowUser: sessions.narrow, now });
  const names = { issuer, audience };
  const verifier = createVerifier({ signatures, revocations, narrow, ...names, now });
  return {
    credentials,
    passwords,
    keyring,
    signer,
    rotation,
    sessions,
    async authenticateToken(token) {
      const claims = await verifier.verify(token);
      return claims === undefined ? undefined : principalFrom(claims);
    },
    authenticateWorkspaceKey: workspaceKeyAuthenticator(directory),
    async stop() {
      await Promise.all([usage.stop(), rotation.stop()]);
    },
    services: {
      issuance: createIssuanceService({
        directory,
        signer,
        serviceTokenSeconds,
        customerTokenSeconds,
      }),
      verification: createVerificationService({ keyring, verifier, revocations, trail }),
      account: createAccountService(db),
      client: createClientService({ db, trail, credentials, random, now }),
      customer: createCustomerService({ db, trail, credentials, random, now }),
      session: sessions.service,
      signingKey: createSigningKeyService({ db, masterKey, trail, now }),
      audit: createAuditService({ db }),
      user: createUserService({ db, trail, masterKey, passwords, rolesOf, random, now }),
    },
  };
}

function workspaceKeyAuthenticator(directory: Directory): Authenticate {
  return async (text) => {
    const key = await directory.authenticate('wk', text);
    if (key === undefined) return undefined;
    const { id, ownerId, scopes } = key;
    return { type: 'workspace_key', keyId: id, workspaceId: ownerId, scopes };
  };
}
