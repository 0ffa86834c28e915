import type { List } from '../../storage/list.ts';
import { lockRows } from '../../storage/row-locks.ts';
import type { Executor, IdentityProviderRow, UserIdentityRow } from '../../storage/schema.ts';
import type { SearchTable } from '../../storage/search.ts';
import { limitRows } from '../../storage/table-limits.ts';
import {
  deleteBy,
  findBy,
  insertInto,
  insertUnlessTaken,
  listFrom,
  lockBy,
  updateBy,
} from '../../storage/table-queries.ts';

export const findProvider = findBy('identity_providers', 'id');

/**
 * For the sign-in page: in the order of their creation. At most five rows exist. `domain` is in
 * lower case; empty for every provider.
 */
export async function findEnabledProviders(
  db: Executor,
  domain: string,
): Promise<Pick<IdentityProviderRow, 'id' | 'name'>[]> {
  const rows = await db
    .selectFrom('identity_providers')
    .select(['id', 'name', 'allowed_domains'])
    .where('enabled', '=', 1)
    .orderBy('create_time')
    .orderBy('id')
    .execute();
  return rows
    .filter((row) => domain === '' || row.allowed_domains.split(' ').includes(domain))
    .map(({ id, name }) => ({ id, name }));
}

export const providerList = {
  sorts: { create_time: 'number', name: 'text' },
  searches: ['name', 'issuer', 'id'],
} as const satisfies List;

export const providerSearch: SearchTable = {
  table: 'identity_providers',
  idPrefix: 'idp',
  texts: ['name', 'issuer'],
  isSmall: true,
};

export const findProviders = listFrom('identity_providers', providerList);

export const lockProvider = lockBy('identity_providers', 'id');

/** Providers are rare, so they share the lock of audiences. */
export const requireFewProviders = limitRows('identity_providers', 5, 'audiences');

export const insertProvider = insertInto('identity_providers');

export type ProviderChange = Partial<
  Omit<IdentityProviderRow, 'id' | 'issuer' | 'create_time' | 'creator_id'>
>;

export const updateProvider = updateBy('identity_providers', 'id');

export async function deleteProvider(trx: Executor, id: string): Promise<void> {
  await trx.deleteFrom('user_identities').where('provider_id', '=', id).execute();
  await trx.deleteFrom('identity_providers').where('id', '=', id).execute();
}

/** The scopes of each enabled staff user, as they are stored. */
export async function lockStaffScopes(trx: Executor): Promise<string[]> {
  const rows = await lockRows(trx, 'users', 'kind', ['staff']);
  return rows.filter(({ disable_time }) => disable_time === null).map(({ scopes }) => scopes);
}

export const findIdentity = findBy('user_identities', 'provider_id', 'subject');

export const findIdentityOfUser = findBy('user_identities', 'provider_id', 'user_id');

export type NamedIdentity = UserIdentityRow & { readonly provider_name: string };

export function findIdentities(db: Executor, userId: string): Promise<NamedIdentity[]> {
  return db
    .selectFrom('user_identities as i')
    .innerJoin('identity_providers as p', 'p.id', 'i.provider_id')
    .selectAll('i')
    .select('p.name as provider_name')
    .where('i.user_id', '=', userId)
    .orderBy('i.create_time', 'desc')
    .orderBy('i.id', 'desc')
    .execute();
}

export const insertIdentity = insertInto('user_identities');

/** Ends no session: the caller ends all sessions of the user. */
export const deleteIdentities = deleteBy('user_identities', 'user_id');

export function deleteIdentity(
  trx: Executor,
  userId: string,
  id: string,
): Promise<UserIdentityRow | undefined> {
  return trx
    .deleteFrom('user_identities')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** False if another user has the address. */
export const insertProvidedUser = insertUnlessTaken('users', 'email');

export const updateProvidedUser = updateBy('users', 'id');
