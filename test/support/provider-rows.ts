// Writes identity providers and linked accounts into the database.
import { randomBytes } from 'node:crypto';
import { newId } from '../../src/base/crypto/ids.ts';
import { insertIdentity, insertProvider } from '../../src/identity/providers/store.ts';
import type { Database, IdentityProviderRow } from '../../src/storage/schema/schema.ts';
import { changeAsOtherProcess } from './owner-rows.ts';

/** The columns of a provider that no one signs in with. */
export const providerFields: Omit<IdentityProviderRow, 'id' | 'name' | 'issuer' | 'create_time'> = {
  client_id: 'latchkey',
  secret_ciphertext: '',
  master_key_id: '',
  allowed_domains: 'example.com',
  role_mappings: '[]',
  enabled: 1,
  create_users: 0,
  groups_claim: 'groups',
  email_verified_claim: 'email_verified',
  additional_scopes: '',
  update_time: null,
  creator_id: null,
};

/** Removes all providers: an installation has at most five. */
export async function removeProviders(db: Database): Promise<void> {
  await changeAsOtherProcess(db, async (trx) => {
    await trx.deleteFrom('user_identities').execute();
    await trx.deleteFrom('identity_providers').execute();
  });
}

/** Returns the id of a new provider, the only one. */
export async function addProvider(db: Database): Promise<string> {
  await removeProviders(db);
  return addOtherProvider(db);
}

async function addOtherProvider(db: Database): Promise<string> {
  const id = newId('idp', randomBytes);
  const own = { id, name: 'Acme', issuer: `https://${id}.example`, create_time: Date.now() };
  await changeAsOtherProcess(db, (trx) => insertProvider(trx, { ...own, ...providerFields }));
  return id;
}

/** Links an account to a user. Returns the id of the link. */
export async function addIdentity(db: Database, userId: string): Promise<string> {
  const provider_id = await addOtherProvider(db);
  const id = newId('uid', randomBytes);
  const row = { id, user_id: userId, provider_id, subject: id, create_time: Date.now() };
  await changeAsOtherProcess(db, (trx) => insertIdentity(trx, { ...row, manages_grants: 0 }));
  return id;
}

/** The fields of a valid request to create a provider. */
export const newProvider = () => ({
  name: 'Acme',
  issuer: `https://${randomBytes(4).toString('hex')}.example`,
  clientId: 'latchkey',
  clientSecret: 'secret',
  allowedDomains: ['example.com'],
});
