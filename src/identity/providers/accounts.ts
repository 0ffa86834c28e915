// Finds, links or creates the user of an account, and applies the mapped grants. Everything is in
// the transaction of the sign-in, which locks the provider.
import { neverDisabled } from '../../api/deletion.ts';
import type { Clock } from '../../base/clock.ts';
import { isId, newId, type Random } from '../../base/crypto/ids.ts';
import { findUserRowByEmail, lockUserRow } from '../../storage/queries/users.ts';
import type { Executor, IdentityProviderRow, UserRow } from '../../storage/schema/schema.ts';
import type { AccountClaims } from './account-claims.ts';
import { SignInRefusal } from './problems.ts';
import { grantsOfGroups, type MappedRoles } from './role-mappings.ts';
import {
  findIdentity,
  findIdentityOfUser,
  findProvider,
  insertIdentity,
  insertProvidedUser,
  updateProvidedUser,
} from './store.ts';

export type AccountOptions = {
  readonly mappedRoles: MappedRoles;
  readonly random: Random;
  readonly now: Clock;
};

export type FoundUser = {
  readonly user: UserRow;
  /** Whether this sign-in has linked the account to a user who existed. */
  readonly isNewlyLinked: boolean;
};

/** Records a change that the service makes by itself. */
type Also = (action: string, target: string) => void;

/** Throws SignInRefusal. */
export type FindUser = (
  trx: Executor,
  provider: IdentityProviderRow,
  account: AccountClaims,
  also: Also,
) => Promise<FoundUser>;

export function createFindUser({ mappedRoles, random, now }: AccountOptions): FindUser {
  async function link(
    trx: Executor,
    provider: IdentityProviderRow,
    account: AccountClaims,
    also: Also,
  ): Promise<FoundUser & { readonly managesGrants: boolean }> {
    const email = requireAddress(provider, account);
    const isKnown = (await findUserRowByEmail(trx, email)) !== undefined;
    const created = isKnown ? undefined : await create(trx, provider, account, email);
    const user = created ?? (await lockUnlinked(trx, provider, email));
    const managesGrants = await hasProvided(trx, provider, user);
    await insertIdentity(trx, {
      id: newId('uid', random),
      user_id: user.id,
      provider_id: provider.id,
      subject: account.subject,
      manages_grants: managesGrants ? 1 : 0,
      create_time: now(),
    });
    const isNewlyLinked = created === undefined;
    also(`IdentityProviderService.${isNewlyLinked ? 'LinkUser' : 'CreateUser'}`, user.id);
    return { user, isNewlyLinked, managesGrants };
  }

  /** Undefined if another transaction has created a user with the address since it was read. */
  async function create(
    trx: Executor,
    provider: IdentityProviderRow,
    { groups, name }: AccountClaims,
    email: string,
  ): Promise<UserRow | undefined> {
    if (provider.create_users === 0) throw new SignInRefusal('no_user');
    const { isStaff } = grantsOfGroups(provider.role_mappings, groups);
    const user: UserRow = {
      id: newId('usr', random),
      kind: isStaff ? 'staff' : 'member',
      email,
      name,
      password_hash: '',
      scopes: '',
      create_time: now(),
      update_time: null,
      creator_id: provider.id,
      ...neverDisabled,
    };
    return (await insertProvidedUser(trx, user)) ? user : undefined;
  }

  async function applyGrants(
    trx: Executor,
    { role_mappings }: IdentityProviderRow,
    { groups }: AccountClaims,
    user: UserRow,
    also: Also,
  ): Promise<UserRow> {
    const { scopes, roles, workspaceIds } = grantsOfGroups(role_mappings, groups);
    const action = 'IdentityProviderService.ApplyMappings';
    if (user.kind === 'member') {
      const isChanged = await mappedRoles.apply(trx, user.id, roles, workspaceIds);
      if (isChanged) also(action, user.id);
      return user;
    }
    if (user.scopes === scopes) return user;
    await updateProvidedUser(trx, user.id, { scopes, update_time: now() });
    also(action, user.id);
    return { ...user, scopes };
  }

  return async (trx, provider, account, also) => {
    const identity = await findIdentity(trx, provider.id, account.subject);
    if (identity === undefined) {
      const { managesGrants, ...linked } = await link(trx, provider, account, also);
      if (!managesGrants) return linked;
      const user = await applyGrants(trx, provider, account, linked.user, also);
      return { ...linked, user };
    }
    const user = await lockUserRow(trx, identity.user_id);
    if (user === undefined) throw new Error('a linked user does not exist');
    requireEnabled(user);
    // While this call waited for the lock, the account may have been unlinked and the sessions of
    // the user ended.
    const current = await findIdentity(trx, provider.id, account.subject);
    if (current?.id !== identity.id) throw new SignInRefusal('expired', { target: user.id });
    if (identity.manages_grants === 0) return { user, isNewlyLinked: false };
    return { user: await applyGrants(trx, provider, account, user, also), isNewlyLinked: false };
  };
}

/**
 * Whether this provider, or one that was deleted, has created the user. Then the groups decide
 * about the grants, and a new link must not keep them without the groups.
 */
async function hasProvided(
  trx: Executor,
  provider: IdentityProviderRow,
  { creator_id: creator }: UserRow,
): Promise<boolean> {
  if (creator === null || !isId('idp', creator)) return false;
  return creator === provider.id || (await findProvider(trx, creator)) === undefined;
}

async function lockUnlinked(
  trx: Executor,
  provider: IdentityProviderRow,
  email: string,
): Promise<UserRow> {
  const found = await findUserRowByEmail(trx, email);
  const locked = found && (await lockUserRow(trx, found.id));
  // The address may have changed until the lock.
  if (locked?.email !== email) throw new SignInRefusal('expired');
  requireEnabled(locked);
  const other = await findIdentityOfUser(trx, provider.id, locked.id);
  if (other !== undefined) throw new SignInRefusal('other_account', { target: locked.id });
  return locked;
}

/** Returns the address if it may link or create a user. */
function requireAddress(
  { allowed_domains }: IdentityProviderRow,
  { verifiedEmail: email }: AccountClaims,
): string {
  if (email === undefined) throw new SignInRefusal('address_not_verified');
  // The whole domain is compared: neither a subdomain nor a longer name is allowed.
  const domain = email.slice(email.lastIndexOf('@') + 1);
  if (!allowed_domains.split(' ').includes(domain)) throw new SignInRefusal('domain_not_allowed');
  return email;
}

function requireEnabled({ id, disable_time }: UserRow): void {
  if (disable_time !== null) throw new SignInRefusal('user_disabled', { target: id });
}
