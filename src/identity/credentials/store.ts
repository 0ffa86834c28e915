import type { Database, Executor } from '../../storage/schema.ts';
import { storedScopes } from '../scopes.ts';
import type { NewCredential } from './format.ts';

/** A credential with what it stands for. */
export type StoredCredential = {
  readonly id: string;
  /** The client, customer or workspace. */
  readonly ownerId: string;
  readonly digest: string;
  readonly scopes: ReadonlySet<string>;
  /** False once it is revoked or its owner disabled. */
  readonly enabled: boolean;
  /** Milliseconds since 1970; undefined for never. */
  readonly expireTime: number | undefined;
};

export type CredentialOwner =
  | { readonly client_id: string }
  | { readonly customer_id: string }
  | { readonly workspace_id: string };

type CredentialFields = {
  readonly name: string;
  /** Space-separated; empty for a client's secret. */
  readonly scopes: string;
  readonly createTime: number;
  readonly expireTime?: number;
};

export async function insertCredential(
  db: Executor,
  owner: CredentialOwner,
  credential: NewCredential,
  fields: CredentialFields,
): Promise<void> {
  await db
    .insertInto('credentials')
    .values({
      client_id: null,
      customer_id: null,
      workspace_id: null,
      ...owner,
      id: credential.id,
      digest: credential.digest,
      name: fields.name,
      scopes: fields.scopes,
      create_time: fields.createTime,
      expire_time: fields.expireTime ?? null,
      revoke_time: null,
      last_used_time: null,
    })
    .execute();
}

/** Reads a credential by its id, with its owner. */
export async function findCredential(
  db: Database,
  id: string,
): Promise<StoredCredential | undefined> {
  const row = await db
    .selectFrom('credentials as k')
    .leftJoin('clients as c', 'c.id', 'k.client_id')
    .leftJoin('customers as u', 'u.id', 'k.customer_id')
    .select([
      'k.id',
      'k.client_id',
      'k.customer_id',
      'k.workspace_id',
      'k.digest',
      'k.scopes',
      'k.expire_time',
      'k.revoke_time',
      'c.scopes as client_scopes',
      'c.disable_time as client_disable_time',
      'u.disable_time as customer_disable_time',
    ])
    .where('k.id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const disableTime = row.client_disable_time ?? row.customer_disable_time;
  return {
    id: row.id,
    ownerId: row.client_id ?? row.customer_id ?? row.workspace_id ?? '',
    digest: row.digest,
    scopes: storedScopes(row.client_scopes ?? row.scopes),
    enabled: row.revoke_time === null && disableTime === null,
    expireTime: row.expire_time ?? undefined,
  };
}

/** The customer's accounts. */
export async function findAccounts(db: Database, customerId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('accounts')
    .select('account_id')
    .where('customer_id', '=', customerId)
    .orderBy('account_id')
    .execute();
  return rows.map((row) => row.account_id);
}
