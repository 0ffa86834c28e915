// Whatever is cached of credentials, grants and keys: each part refuses by itself to trust it once
// the database could not be read for 5 seconds.

import { randomBytes } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import { createMasterKey } from '../../src/base/crypto/master-key.ts';
import { createCredentialDirectory } from '../../src/credentials/directory.ts';
import { openAudiences } from '../../src/identity/audiences/audiences.ts';
import { nodeEd25519 } from '../../src/identity/keys/ed25519.ts';
import { openKeyring } from '../../src/identity/keys/keyring.ts';
import { generateSigningKey } from '../../src/identity/keys/signing-key.ts';
import { insertNewKey } from '../../src/identity/keys/state-changes.ts';
import { createLimitToUserGrants } from '../../src/identity/sessions/current-grants.ts';
import type { Claims } from '../../src/identity/tokens/claims.ts';
import { createLimitToGrants } from '../../src/identity/tokens/current-grants.ts';
import { openRevocations } from '../../src/identity/tokens/revocations.ts';
import { createSignatures } from '../../src/identity/tokens/signatures.ts';
import { createMemberships } from '../../src/sharing/workspaces/memberships.ts';
import { type Invalidations, watchInvalidations } from '../../src/storage/cache/invalidation.ts';
import { transact } from '../../src/storage/database.ts';
import type { Database } from '../../src/storage/schema/schema.ts';
import { freshDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { describeDialects } from '../support/matrix.ts';
import { addClient } from '../support/owner-rows.ts';
import { itHoldsFor } from '../support/rule.ts';

type Parts = {
  readonly db: Database;
  readonly invalidations: Invalidations;
  /** A client's secret. */
  readonly secret: string;
};

const claims: Claims = {
  iss: 'https://issuer.example',
  aud: 'https://issuer.example',
  sub: 'none',
  client_id: 'none',
  iat: 1,
  exp: 2,
  jti: 'jti',
  scope: 'a:read',
  principal_type: 'service',
};

const masterKey = createMasterKey(randomBytes(32), []);

async function keyringOf({ db, invalidations }: Parts) {
  const keys = { db, masterKey, ed25519: nodeEd25519, invalidations };
  return openKeyring({ ...keys, tokenSecondsMax: 300, now: Date.now });
}

/** The call to each part. It runs without other parts that could query the database. */
const parts: Record<string, (parts: Parts) => Promise<() => Promise<unknown>>> = {
  'the credentials': async ({ secret, ...all }) => {
    const directory = createCredentialDirectory({ ...all, recordUse: () => {}, now: Date.now });
    return () => directory.authenticate('cs', secret);
  },
  'the current grants of clients': async (all) => {
    const limitToUserGrants = async () => undefined;
    const audiences = await openAudiences({ ...all, publicUrl: claims.aud });
    const limit = createLimitToGrants({ ...all, audiences, limitToUserGrants, now: Date.now });
    return () => limit(claims);
  },
  'the audiences': async (all) => {
    const audiences = await openAudiences({ ...all, publicUrl: claims.aud });
    return () => audiences.find('none');
  },
  'the current grants of users': async (all) => {
    const limit = createLimitToUserGrants({
      ...{ ...all, now: Date.now, scopesOf: async () => new Set() },
      factorRules: { dueTimeOf: async () => undefined },
      membershipsOf: async () => new Map(),
    });
    return () => limit({ ...claims, principal_type: 'staff', sid: 'none' });
  },
  'the memberships': async (all) => {
    const membershipsOf = createMemberships(all);
    return () => membershipsOf('none');
  },
  'the revoked tokens': async (all) => {
    const revocations = openRevocations({ ...all, masterKey, now: Date.now });
    return () => revocations.has('jti');
  },
  'the key that signs': async (all) => {
    const keyring = await keyringOf(all);
    return () => keyring.active();
  },
  'the keys that verify': async (all) => {
    const keyring = await keyringOf(all);
    const header = (await keyring.active())?.header ?? '';
    return () => keyring.byHeader(header);
  },
  'the verified signatures': async (all) => {
    const keyring = await keyringOf(all);
    const alone = { ...keyring, byHeader: async () => undefined };
    const signatures = createSignatures({ ...all, keyring: alone, now: Date.now });
    return () => signatures.claimsOf(`a.b.${'A'.repeat(86)}`);
  },
};

describeDialects('while the database is away', (dialect) => {
  itHoldsFor(Object.entries(parts), 9)('are trusted for 5 seconds', async (_, create) => {
    const db = await openUntilFinished(await freshDatabaseUrl(dialect));
    // Before the invalidations are watched, because a change would evict what is cached.
    const key = await generateSigningKey(masterKey);
    await transact(db, (trx) => insertNewKey(trx, key, 'active', 1));
    const { text: secret } = await addClient(db, 'a:read');
    let monotonic = 1_000_000;
    const invalidations = await watchInvalidations(db, { monotonicNow: () => monotonic });
    onTestFinished(() => invalidations.stop());
    const ask = await create({ db, invalidations, secret });
    const before = await ask();
    await db.destroy();

    monotonic += 5_000;
    expect(await ask()).toEqual(before);
    monotonic += 1;

    await expect(ask()).rejects.toMatchObject({
      code: 'unavailable',
      extra: { retryAfterSeconds: 1 },
    });
  });
});
