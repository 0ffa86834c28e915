import type { List } from '../../storage/queries/list.ts';
import { countRows, hasRow } from '../../storage/queries/row-counts.ts';
import { lockRow } from '../../storage/queries/row-locks.ts';
import type { SearchTable } from '../../storage/queries/search.ts';
import { findBy, insertInto, listFrom, updateBy } from '../../storage/queries/table-queries.ts';
import type { ReceiptKeyRow } from '../../storage/schema/gate-rows.ts';
import type { Executor, SigningAlgorithm, SigningKeyRow } from '../../storage/schema/schema.ts';
import { publishedStates } from './lifecycle.ts';

export function findPublishedKeys(db: Executor): Promise<SigningKeyRow[]> {
  return db
    .selectFrom('signing_keys')
    .selectAll()
    .where('state', 'in', publishedStates)
    .orderBy('create_time', 'desc')
    .orderBy('kid')
    .execute();
}

export const signingKeyList = {
  sorts: { create_time: 'number' },
  searches: ['kid'],
  id: 'kid',
} as const satisfies List;

export const signingKeySearch: SearchTable = {
  table: 'signing_keys',
  id: 'kid',
  idPrefix: '',
  texts: [],
  isSmall: true,
};

export const findSigningKeys = listFrom('signing_keys', signingKeyList);

export const findSigningKey = findBy('signing_keys', 'kid');
export const insertSigningKey = insertInto('signing_keys');
export const updateSigningKey = updateBy('signing_keys', 'kid');

/**
 * Raises the maximum token lifetime of the active keys. Locks the keys, so that none is retired or
 * activated until the transaction ends.
 */
export async function raiseTokenSeconds(trx: Executor, seconds: number): Promise<void> {
  await lockSigningKeys(trx);
  await trx
    .updateTable('signing_keys')
    .set({ token_seconds_max: seconds })
    .where('state', '=', 'active')
    .where('token_seconds_max', '<', seconds)
    .execute();
}

export async function isAlgorithmUsed(db: Executor, alg: SigningAlgorithm): Promise<boolean> {
  if (alg === 'EdDSA') return true;
  return hasRow(db.selectFrom('audiences').where('signing_alg', '=', alg));
}

/** Returns the longest token lifetime of a client, or 0 if no client has one. */
export async function findClientTokenSeconds(db: Executor): Promise<number> {
  const row = await db
    .selectFrom('clients')
    .select(({ fn }) => fn.max('token_seconds').as('seconds'))
    .executeTakeFirst();
  return Number(row?.seconds ?? 0);
}

/**
 * Locks all signing keys until the transaction ends, so that only one transaction at a time can
 * change them.
 */
export async function lockSigningKeys(trx: Executor): Promise<void> {
  await lockRow(trx, 'revisions', 'name', 'signing_keys');
}

export function countSigningKeys(db: Executor): Promise<number> {
  return countRows(db.selectFrom('signing_keys'));
}

/** Returns the keys that sign receipts, newest first. */
export function findReceiptKeys(db: Executor): Promise<ReceiptKeyRow[]> {
  return db
    .selectFrom('receipt_keys')
    .selectAll()
    .orderBy('create_time', 'desc')
    .orderBy('kid')
    .execute();
}

export const insertReceiptKey = insertInto('receipt_keys');
