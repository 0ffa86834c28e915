import { parseStoredScopes } from '../../api/access/scopes.ts';
import { parseAudienceIds } from '../../credentials/token-settings.ts';
import { hasRow } from '../../storage/queries/row-counts.ts';
import { insertUnlessTaken } from '../../storage/queries/table-queries.ts';
import { type EntityKey, entityKey } from '../../storage/schema/change.ts';
import type { Database, Executor, RevokedTokenRow } from '../../storage/schema/schema.ts';

export type Grants = {
  readonly ownerId: string;
  readonly scopes: ReadonlySet<string>;
  /** Empty for the audience of this service. */
  readonly audienceIds: readonly string[];
  /** The customer's accounts; empty for a client, whose tokens are not restricted to accounts. */
  readonly accounts: ReadonlySet<string>;
  readonly expireTime: number | undefined;
  /** The subjects whose tokens a client may exchange. */
  readonly mayAct: ReadonlySet<string>;
};

export type StoredGrants = {
  readonly grants: Grants | undefined;
  readonly entities: readonly EntityKey[];
};

export async function findClientGrants(db: Database, id: string): Promise<StoredGrants> {
  const entities = [entityKey('client', id)];
  const row = await db
    .selectFrom('clients')
    .select(['scopes', 'audience_ids', 'may_act'])
    .where('id', '=', id)
    .where('disable_time', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return { grants: undefined, entities };
  const scopes = parseStoredScopes(row.scopes);
  const audienceIds = parseAudienceIds(row.audience_ids);
  const mayAct = parseStoredScopes(row.may_act ?? '');
  const accounts = new Set<string>();
  const grants = { ownerId: id, scopes, audienceIds, accounts, expireTime: undefined, mayAct };
  return { grants, entities };
}

/** None if the key is revoked or its customer is disabled. */
export async function findKeyGrants(db: Database, id: string): Promise<StoredGrants> {
  const row = await db
    .selectFrom('credentials as k')
    .innerJoin('customers as u', 'u.id', 'k.customer_id')
    .select(['u.id as customer_id', 'k.scopes', 'k.expire_time'])
    .select(['k.revoke_time', 'u.disable_time', 'u.audience_ids'])
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
    audienceIds: parseAudienceIds(row.audience_ids),
    accounts: new Set(accounts.map(({ account_id }) => account_id)),
    expireTime: row.expire_time ?? undefined,
    mayAct: new Set<string>(),
  };
  return { grants, entities };
}

export type RevokedTokensPage = {
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

export function isTokenRevoked(db: Database, jti: string): Promise<boolean> {
  return hasRow(db.selectFrom('revoked_tokens').where('jti', '=', jti));
}

export const insertRevokedToken = insertUnlessTaken('revoked_tokens', 'jti');

/** False if the assertion was used before. */
export const insertUsedAssertion = insertUnlessTaken('used_assertions', 'digest');

export function findReaderNames(
  db: Executor,
  { userId, clientId }: { readonly userId: string; readonly clientId: string },
): Promise<{ email: string; clientName: string }> {
  return db
    .selectFrom('users')
    .innerJoin('clients', (join) => join.on('clients.id', '=', clientId))
    .select(['users.email', 'clients.name as clientName'])
    .where('users.id', '=', userId)
    .executeTakeFirstOrThrow();
}
