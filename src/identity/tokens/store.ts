import { parseStoredScopes } from '../../api/access/scopes.ts';
import { type EntityKey, entityKey } from '../../storage/change.ts';
import type {
  Database,
  Executor,
  RevokedTokenRow,
  UsedAssertionRow,
} from '../../storage/schema.ts';

/** The current grants of an enabled client or a valid API key. */
export type Grants = {
  readonly ownerId: string;
  readonly scopes: ReadonlySet<string>;
  /** The customer's accounts; empty for a client, whose tokens are not restricted to accounts. */
  readonly accounts: ReadonlySet<string>;
  /** Milliseconds since 1970; undefined if the grants do not expire. */
  readonly expireTime: number | undefined;
};

/** The stored grants of a client or an API key. */
export type StoredGrants = {
  /** Undefined if the client is disabled or the key is invalid. */
  readonly grants: Grants | undefined;
  /** The entities that the grants were read from. */
  readonly entities: readonly EntityKey[];
};

/** Reads the current grants of a client, which has none while it is disabled. */
export async function findClientGrants(db: Database, id: string): Promise<StoredGrants> {
  const entities = [entityKey('client', id)];
  const row = await db
    .selectFrom('clients')
    .select('scopes')
    .where('id', '=', id)
    .where('disable_time', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return { grants: undefined, entities };
  const scopes = parseStoredScopes(row.scopes);
  const grants = { ownerId: id, scopes, accounts: new Set<string>(), expireTime: undefined };
  return { grants, entities };
}

/**
 * Reads the current grants of an API key, which has none if it is revoked or its customer is
 * disabled.
 */
export async function findKeyGrants(db: Database, id: string): Promise<StoredGrants> {
  const row = await db
    .selectFrom('credentials as k')
    .innerJoin('customers as u', 'u.id', 'k.customer_id')
    .select(['u.id as customer_id', 'k.scopes', 'k.expire_time'])
    .select(['k.revoke_time', 'u.disable_time'])
    .where('k.id', '=', id)
    .executeTakeFirst();
  const key = entityKey('credential', id);
  if (row === undefined) return { grants: undefined, entities: [key] };
  const entities = [key, entityKey('customer', row.customer_id)];
  if (row.revoke_time !== null || row.disable_time !== null) return { grants: undefined, entities };
  const accounts = await db
    .selectFrom('customer_accounts')
    .select('account_id')
    .where('customer_id', '=', row.customer_id)
    .execute();
  const grants = {
    ownerId: row.customer_id,
    scopes: parseStoredScopes(row.scopes),
    accounts: new Set(accounts.map(({ account_id }) => account_id)),
    expireTime: row.expire_time ?? undefined,
  };
  return { grants, entities };
}

export type RevokedTokensPage = {
  /** The last `jti` of the page before; empty for the first page. */
  readonly after: string;
  /** Tokens that expire at this time or earlier are left out. */
  readonly unexpiredAt: number;
  readonly limit: number;
};

export function findRevokedTokens(
  db: Database,
  { after, unexpiredAt, limit }: RevokedTokensPage,
): Promise<Pick<RevokedTokenRow, 'jti' | 'expire_time'>[]> {
  return db
    .selectFrom('revoked_tokens')
    .select(['jti', 'expire_time'])
    .where('jti', '>', after)
    .where('expire_time', '>', unexpiredAt)
    .orderBy('jti')
    .limit(limit)
    .execute();
}

export async function isTokenRevoked(db: Database, jti: string): Promise<boolean> {
  const row = await db
    .selectFrom('revoked_tokens')
    .select('jti')
    .where('jti', '=', jti)
    .executeTakeFirst();
  return row !== undefined;
}

export async function insertRevokedToken(db: Executor, row: RevokedTokenRow): Promise<void> {
  await db
    .insertInto('revoked_tokens')
    .values(row)
    .onConflict((conflict) => conflict.column('jti').doNothing())
    .execute();
}

/** Fails if the assertion was used before. */
export async function insertUsedAssertion(trx: Executor, row: UsedAssertionRow): Promise<void> {
  await trx.insertInto('used_assertions').values(row).execute();
}
