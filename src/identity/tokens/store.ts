import { parseStoredScopes } from '../../access/scopes.ts';
import type { Database, Executor, RevokedTokenRow } from '../../storage/schema.ts';
import type { Grants } from './current-grants.ts';

/** Reads the current grants of a client. Returns undefined unless the client is enabled. */
export async function findClientGrants(db: Database, id: string): Promise<Grants | undefined> {
  const row = await db
    .selectFrom('clients')
    .select('scopes')
    .where('id', '=', id)
    .where('disable_time', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const scopes = parseStoredScopes(row.scopes);
  return { ownerId: id, scopes, accounts: new Set(), expireTime: undefined };
}

/**
 * Reads the current grants of an API key. Returns undefined if the key is revoked or its customer
 * disabled.
 */
export async function findKeyGrants(db: Database, id: string): Promise<Grants | undefined> {
  const row = await db
    .selectFrom('credentials as k')
    .innerJoin('customers as u', 'u.id', 'k.customer_id')
    .select(['u.id as customer_id', 'k.scopes', 'k.expire_time'])
    .where('k.id', '=', id)
    .where('k.revoke_time', 'is', null)
    .where('u.disable_time', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const accounts = await db
    .selectFrom('customer_accounts')
    .select('account_id')
    .where('customer_id', '=', row.customer_id)
    .execute();
  return {
    ownerId: row.customer_id,
    scopes: parseStoredScopes(row.scopes),
    accounts: new Set(accounts.map(({ account_id }) => account_id)),
    expireTime: row.expire_time ?? undefined,
  };
}

/** Returns the revocations after a revision; 0 returns all. */
export function findTokensRevokedAfter(db: Database, revision: number): Promise<RevokedTokenRow[]> {
  return db
    .selectFrom('revoked_tokens')
    .selectAll()
    .where('revision', '>', revision)
    .orderBy('revision')
    .execute();
}

export async function insertRevokedToken(db: Executor, row: RevokedTokenRow): Promise<void> {
  await db
    .insertInto('revoked_tokens')
    .values(row)
    .onConflict((conflict) => conflict.column('jti').doNothing())
    .execute();
}

export async function deleteExpiredRevocations(db: Executor, before: number): Promise<void> {
  await db.deleteFrom('revoked_tokens').where('expire_time', '<=', before).execute();
}
