// Writes callers into the database as another process would: through the real stores, announced
// only by the triggers.
import { randomBytes } from 'node:crypto';
import type { Insertable } from 'kysely';
import { generateCredential } from '../../src/base/crypto/credential-format.ts';
import { newId } from '../../src/base/crypto/ids.ts';
import { type CredentialOwner, insertCredential } from '../../src/credentials/store.ts';
import { storedAudienceIds } from '../../src/credentials/token-settings.ts';
import { insertAudience } from '../../src/identity/audiences/store.ts';
import { insertClient } from '../../src/identity/clients/store.ts';
import { insertAccounts, insertCustomer } from '../../src/identity/customers/store.ts';
import { insertWorkspace } from '../../src/sharing/workspaces/store.ts';
import { transact } from '../../src/storage/database.ts';
import type { Database, Executor, Schema } from '../../src/storage/schema/schema.ts';

export type Added = {
  /** The id of the client, customer or workspace. */
  readonly ownerId: string;
  readonly credentialId: string;
  /** The secret or API key as text. */
  readonly text: string;
};

type State = {
  readonly disabled?: boolean;
  readonly revoked?: boolean;
  /** Milliseconds since 1970. */
  readonly expireTime?: number;
  /** Of the client or customer. */
  readonly audienceIds?: readonly string[];
  /** Of the client: the subjects whose tokens it may exchange. */
  readonly mayAct?: readonly string[];
  /** Of the owner: milliseconds since 1970; by default now. */
  readonly createTime?: number;
};

/** Changes rows as another process would: this process notices only when it polls. */
export function changeAsOtherProcess(
  db: Database,
  work: (trx: Executor) => Promise<unknown>,
): Promise<void> {
  return transact(db.withoutPlugins(), async (trx) => void (await work(trx)));
}

/** Inserts a row without the stores. */
export async function insertRow<T extends keyof Schema>(
  db: Executor,
  table: T,
  row: Insertable<Schema[T]>,
): Promise<void> {
  // Kysely does not see that the row fits the table.
  await db
    .insertInto(table)
    .values(row as never)
    .execute();
}

/** Changes a row as another process would. */
export function updateRow(
  db: Database,
  table:
    | 'client_keys'
    | 'clients'
    | 'credentials'
    | 'customers'
    | 'federated_identities'
    | 'links'
    | 'trusted_issuers'
    | 'users',
  id: string,
  change: object,
): Promise<void> {
  return changeAsOtherProcess(db, (trx) =>
    trx.updateTable(table).set(change).where('id', '=', id).execute(),
  );
}

/** Returns the id of a new audience. */
export async function addAudience(db: Database, identifier?: string): Promise<string> {
  const id = newId('aud', randomBytes);
  const fields = { identifier: identifier ?? `urn:${id}`, name: 'Test' };
  const row = { id, ...fields, signing_alg: 'EdDSA' as const, create_time: Date.now() };
  await changeAsOtherProcess(db, (trx) => insertAudience(trx, row));
  return id;
}

export async function addClient(db: Database, scopes: string, state: State = {}): Promise<Added> {
  const id = newId('cli', randomBytes);
  const audience_ids = storedAudienceIds(state.audienceIds ?? []);
  const may_act = state.mayAct?.join(' ') ?? null;
  const row = { id, name: 'Test client', scopes, audience_ids, may_act, ...timesOf(state) };
  return add(db, { kind: 'cs', id }, '', state, (trx) => insertClient(trx, row));
}

export async function addCustomer(
  db: Database,
  scopes: string,
  state: State & { readonly accounts?: readonly string[] } = {},
): Promise<Added> {
  const id = newId('cus', randomBytes);
  const audience_ids = storedAudienceIds(state.audienceIds ?? []);
  const row = { id, name: 'Test customer', audience_ids, ...timesOf(state) };
  return add(db, { kind: 'ck', id }, scopes, state, async (trx) => {
    await insertCustomer(trx, row);
    await insertAccounts(trx, id, state.accounts ?? [], row.create_time);
  });
}

export async function addWorkspace(
  db: Database,
  scopes: string,
  state: Pick<State, 'revoked' | 'expireTime'> = {},
): Promise<Added> {
  const id = newId('ws', randomBytes);
  const row = { id, name: 'Test workspace', create_time: Date.now() };
  return add(db, { kind: 'wk', id }, scopes, state, (trx) => insertWorkspace(trx, row));
}

function timesOf({ disabled = false, createTime = Date.now() }: State) {
  return { create_time: createTime, disable_time: disabled ? Date.now() : null };
}

async function add(
  db: Database,
  owner: CredentialOwner,
  scopes: string,
  state: State,
  insertOwner: (trx: Executor) => Promise<void>,
): Promise<Added> {
  const credential = generateCredential(owner.kind, randomBytes);
  const { expireTime } = state;
  await changeAsOtherProcess(db, async (trx) => {
    await insertOwner(trx);
    await insertCredential(trx, owner, credential, {
      name: 'Test credential',
      scopes,
      createTime: Date.now(),
      ...(expireTime === undefined ? {} : { expireTime }),
    });
    if (state.revoked) await revoke(trx, credential.id);
  });
  return { ownerId: owner.id, credentialId: credential.id, text: credential.text };
}

export async function revoke(trx: Executor, credentialId: string): Promise<void> {
  await trx
    .updateTable('credentials')
    .set({ revoke_time: Date.now() })
    .where('id', '=', credentialId)
    .execute();
}

const today = Math.floor(Date.now() / 86_400_000);

/** A row of `usage_counts`, for a day before today. */
export const usageRow = (id: string, daysAgo: number, outcome: string, count: number) => {
  const day = today - daysAgo;
  return { key: `${id} ${day} ${outcome}`, subject_id: id, day, outcome, count };
};
