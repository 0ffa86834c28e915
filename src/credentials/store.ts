import { type SqlBool, sql } from 'kysely';
import type { AccessSource } from '../api/access/access-source.ts';
import { parseStoredScopes } from '../api/access/scopes.ts';
import type { CredentialKind, NewCredential } from '../base/crypto/credential-format.ts';
import { type List, type ListPage, readList } from '../storage/queries/list.ts';
import type { ListQuery } from '../storage/queries/list-request.ts';
import { readNewest } from '../storage/queries/newest-rows.ts';
import type { SearchTable } from '../storage/queries/search.ts';
import type { CredentialRow, Database, Executor } from '../storage/schema/schema.ts';
import { type TokenSettings, tokenSettingsOf } from './token-settings.ts';

export type CredentialOwner = { readonly kind: CredentialKind; readonly id: string };

const owners = {
  cs: { table: 'clients', column: 'client_id' },
  ck: { table: 'customers', column: 'customer_id' },
  wk: { table: 'workspaces', column: 'workspace_id' },
} as const satisfies Record<CredentialKind, { table: string; column: keyof CredentialRow }>;

export async function hasOwner(db: Executor, { kind, id }: CredentialOwner): Promise<boolean> {
  const { rows } =
    await sql`select 1 from ${sql.table(owners[kind].table)} where id = ${id}`.execute(db);
  return rows.length > 0;
}

/** Whether a credential is neither revoked nor expired at `time`. */
export const isLiveAt = (time: number) =>
  sql<SqlBool>`revoke_time is null and (expire_time is null or expire_time > ${time})`;

export type InsertedCredential = Pick<NewCredential, 'id' | 'digest'> & {
  readonly creatorId?: string;
  /** Of an imported secret. */
  readonly importedHash?: string;
};

type CredentialFields = {
  readonly name: string;
  readonly scopes: string;
  readonly createTime: number;
  readonly expireTime?: number | null;
};

export async function insertCredential(
  db: Executor,
  { kind, id }: CredentialOwner,
  credential: InsertedCredential,
  fields: CredentialFields,
): Promise<CredentialRow> {
  const row: CredentialRow = {
    id: credential.id,
    client_id: null,
    customer_id: null,
    workspace_id: null,
    digest: credential.digest,
    name: fields.name,
    scopes: fields.scopes,
    create_time: fields.createTime,
    expire_time: fields.expireTime ?? null,
    revoke_time: null,
    last_used_time: null,
    creator_id: credential.creatorId ?? null,
    imported_hash: credential.importedHash ?? null,
  };
  row[owners[kind].column] = id;
  await db.insertInto('credentials').values(row).execute();
  return row;
}

export const credentialList = {
  sorts: { create_time: 'number', name: 'text' },
  searches: ['name', 'id'],
} as const satisfies List;

const credentialSearch = { table: 'credentials', texts: ['name'] } as const;

export const clientSecretSearch: SearchTable = {
  ...credentialSearch,
  idPrefix: 'sec',
  where: () => sql`client_id is not null`,
};

export const customerKeySearch: SearchTable = {
  ...credentialSearch,
  idPrefix: 'key',
  where: () => sql`customer_id is not null`,
};

export const workspaceKeySearch: SearchTable = {
  ...credentialSearch,
  idPrefix: 'key',
  workspace: 'workspace_id',
  where: () => sql`workspace_id is not null`,
};

export function findCredentials(
  db: Executor,
  { kind, id }: CredentialOwner,
  query: ListQuery,
): Promise<ListPage<CredentialRow>> {
  const owned = db.selectFrom('credentials').selectAll().where(owners[kind].column, '=', id);
  return readList(db, owned, credentialList, query);
}

export function findOwnedCredential(
  db: Executor,
  owner: CredentialOwner,
  id: string,
): Promise<CredentialRow | undefined> {
  return db
    .selectFrom('credentials')
    .selectAll()
    .where('id', '=', id)
    .where(owners[owner.kind].column, '=', owner.id)
    .executeTakeFirst();
}

/** `isHash`: only imported secrets that are not stored as digests yet. */
export async function countLiveCredentials(
  db: Executor,
  { kind, id }: CredentialOwner,
  time: number,
  { isHash = false } = {},
): Promise<number> {
  const live = db
    .selectFrom('credentials')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(owners[kind].column, '=', id)
    .where(isLiveAt(time));
  const counted = isHash ? live.where('imported_hash', '!=', '') : live;
  return (await counted.executeTakeFirstOrThrow()).count;
}

export async function revokeCredential(db: Executor, id: string, time: number): Promise<void> {
  await db
    .updateTable('credentials')
    .set({ revoke_time: time })
    .where('id', '=', id)
    .where('revoke_time', 'is', null)
    .execute();
}

type Ending = {
  /** If unset, all credentials of the owner. */
  readonly id?: string;
  readonly time: number;
  readonly overlapMs: number;
};

/** `overlapMs` after `time`, unless they expire earlier. 0 revokes them. */
export async function endCredentials(
  db: Executor,
  owner: CredentialOwner,
  { id, time, overlapMs }: Ending,
): Promise<void> {
  const end = time + overlapMs;
  const change = overlapMs === 0 ? { revoke_time: time } : { expire_time: end };
  let query = db
    .updateTable('credentials')
    .set(change)
    .where(owners[owner.kind].column, '=', owner.id)
    .where('revoke_time', 'is', null)
    .where(({ eb, or }) => or([eb('expire_time', 'is', null), eb('expire_time', '>', end)]));
  if (id !== undefined) query = query.where('id', '=', id);
  await query.execute();
}

export type StoredCredential = {
  readonly id: string;
  readonly ownerKind: CredentialKind;
  readonly ownerId: string;
  readonly digest: string;
  readonly scopes: ReadonlySet<string>;
  readonly tokenSettings: TokenSettings;
  /** False if the credential is revoked, or its owner is disabled or deleted. */
  readonly enabled: boolean;
  /** Milliseconds since 1970; undefined if the credential does not expire. */
  readonly expireTime: number | undefined;
};

export const selectCredentials = (db: Database) =>
  db
    .selectFrom('credentials as k')
    .leftJoin('clients as c', 'c.id', 'k.client_id')
    .leftJoin('customers as u', 'u.id', 'k.customer_id')
    .leftJoin('workspaces as w', 'w.id', 'k.workspace_id')
    .select([
      'k.id',
      'k.client_id',
      'k.customer_id',
      'k.workspace_id',
      'k.digest',
      'k.scopes',
      'k.expire_time',
      'k.revoke_time',
      'k.imported_hash',
      'c.scopes as client_scopes',
      'c.disable_time as client_disable_time',
      'c.audience_ids as client_audience_ids',
      'c.claims',
      'c.token_seconds',
      'c.default_scopes',
      'c.may_act',
      'c.bound_tokens',
      'u.disable_time as customer_disable_time',
      'u.audience_ids as customer_audience_ids',
      'w.delete_time as workspace_delete_time',
    ]);

type SelectedCredential = Awaited<
  ReturnType<ReturnType<typeof selectCredentials>['executeTakeFirstOrThrow']>
>;

export function storedCredential(row: SelectedCredential): StoredCredential {
  const endTime = row.client_disable_time ?? row.customer_disable_time ?? row.workspace_delete_time;
  return {
    id: row.id,
    ownerKind: row.client_id !== null ? 'cs' : row.customer_id !== null ? 'ck' : 'wk',
    ownerId: row.client_id ?? row.customer_id ?? row.workspace_id ?? '',
    digest: row.digest,
    scopes: parseStoredScopes(row.client_scopes ?? row.scopes),
    tokenSettings: tokenSettingsOf({
      ...row,
      audience_ids: row.client_audience_ids ?? row.customer_audience_ids,
    }),
    enabled: row.revoke_time === null && endTime === null,
    expireTime: row.expire_time ?? undefined,
  };
}

export async function findCredential(
  db: Database,
  id: string,
): Promise<StoredCredential | undefined> {
  const row = await selectCredentials(db).where('k.id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : storedCredential(row);
}

export async function findCustomerAccountIds(db: Database, customerId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('customer_accounts')
    .select('account_id')
    .where('customer_id', '=', customerId)
    .orderBy('account_id')
    .execute();
  return rows.map((row) => row.account_id);
}

export const createdBy = (db: Executor, kind: CredentialKind, creatorId: string, time: number) =>
  db
    .selectFrom('credentials')
    .where('creator_id', '=', creatorId)
    .where(owners[kind].column, 'is not', null)
    .where(isLiveAt(time));

export function createdCredentials(kind: CredentialKind) {
  return {
    find: (db, { id }, time) =>
      readNewest(db, createdBy(db, kind, id, time).select(['id', 'create_time', 'expire_time'])),
    end: (trx, { id }, time) =>
      trx
        .updateTable('credentials')
        .set({ revoke_time: time })
        .where('id', 'in', createdBy(trx, kind, id, time).select('id'))
        .execute(),
  } satisfies AccessSource;
}
