import type { List } from '../../storage/queries/list.ts';
import { lockOnly } from '../../storage/queries/row-locks.ts';
import type { SearchTable } from '../../storage/queries/search.ts';
import { limitRows } from '../../storage/queries/table-limits.ts';
import {
  deleteBy,
  findBy,
  insertInto,
  insertUnlessTaken,
  listFrom,
  lockBy,
  updateBy,
} from '../../storage/queries/table-queries.ts';
import type {
  Executor,
  IdentityProviderRow,
  UserIdentityRow,
  UserRow,
} from '../../storage/schema/schema.ts';

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

export const userIdentitySearch: SearchTable = {
  table: 'user_identities',
  idPrefix: 'uid',
  texts: ['subject'],
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

/** Locks all staff. Returns the scopes of each enabled one, as they are stored. */
export async function lockStaffScopes(trx: Executor): Promise<string[]> {
  await lockOnly(trx, 'users', 'kind', ['staff']);
  const staff = trx.selectFrom('users').select('scopes').where('kind', '=', 'staff');
  const rows = await staff.where('disable_time', 'is', null).execute();
  return rows.map(({ scopes }) => scopes);
}

const providedStaff = (trx: Executor, providerId: string) =>
  trx
    .selectFrom('users')
    .innerJoin('user_identities', 'user_identities.user_id', 'users.id')
    .where('provider_id', '=', providerId)
    .where('manages_grants', '=', 1)
    .where('kind', '=', 'staff')
    .where('scopes', '<>', '');

/** Returns the staff with scopes whose grants a provider manages. */
export function findProvidedStaff(
  trx: Executor,
  providerId: string,
): Promise<Pick<UserRow, 'id' | 'scopes' | 'disable_time'>[]> {
  const rows = providedStaff(trx, providerId).select(['users.id', 'scopes', 'disable_time']);
  return rows.execute();
}

export async function endProvidedScopes(
  trx: Executor,
  providerId: string,
  update_time: number,
): Promise<void> {
  await trx
    .updateTable('users')
    .set({ scopes: '', update_time })
    .where('id', 'in', providedStaff(trx, providerId).select('users.id'))
    .execute();
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
