import { sql } from 'kysely';
import type { List, ListPage } from '../../storage/queries/list.ts';
import type { ListQuery } from '../../storage/queries/list-request.ts';
import { insertOrLockRows, lockRow } from '../../storage/queries/row-locks.ts';
import type { SearchTable } from '../../storage/queries/search.ts';
import {
  findBy,
  insertInto,
  listFrom,
  type ShownRows,
  updateBy,
} from '../../storage/queries/table-queries.ts';
import type { CustomerRow, Executor } from '../../storage/schema/schema.ts';
import { ownedRows, type Purge } from '../../storage/upkeep/purge.ts';

export const insertCustomer = insertInto('customers');

export type CustomerWithAccounts = CustomerRow & { readonly accountIds: readonly string[] };

const findRow = findBy('customers', 'id');

export async function findCustomer(
  db: Executor,
  id: string,
): Promise<CustomerWithAccounts | undefined> {
  const row = await findRow(db, id);
  return row && (await withAccounts(db, [row]))[0];
}

export async function lockCustomer(
  trx: Executor,
  id: string,
): Promise<CustomerWithAccounts | undefined> {
  const row = await lockRow(trx, 'customers', 'id', id);
  return row && (await withAccounts(trx, [row]))[0];
}

export const customerList = {
  sorts: { create_time: 'number', name: 'text' },
  searches: ['name', 'id'],
} as const satisfies List;

export const customerSearch: SearchTable = {
  table: 'customers',
  idPrefix: 'cus',
  texts: ['name'],
  where: () => sql`delete_time is null`,
};

export async function findCustomers(
  db: Executor,
  query: ListQuery,
  shown?: ShownRows,
): Promise<ListPage<CustomerWithAccounts>> {
  const find = listFrom('customers', customerList, { hidesDeleted: true });
  const page = await find(db, query, shown);
  return { ...page, rows: await withAccounts(db, page.rows) };
}

async function withAccounts(
  db: Executor,
  customers: readonly CustomerRow[],
): Promise<CustomerWithAccounts[]> {
  if (customers.length === 0) return [];
  const ids = customers.map(({ id }) => id);
  const rows = await db
    .selectFrom('customer_accounts')
    .selectAll()
    .where('customer_id', 'in', ids)
    .execute();
  const accounts = new Map(ids.map((id): [string, string[]] => [id, []]));
  for (const row of rows) accounts.get(row.customer_id)?.push(row.account_id);
  return customers.map((row) => ({ ...row, accountIds: accounts.get(row.id)?.sort() ?? [] }));
}

export type CustomerChange = Partial<Omit<CustomerRow, 'id' | 'create_time' | 'creator_id'>>;

export const updateCustomer = updateBy('customers', 'id');

export async function insertAccounts(
  db: Executor,
  customerId: string,
  accountIds: readonly string[],
  time: number,
): Promise<void> {
  if (accountIds.length === 0) return;
  await lockAccounts(db, accountIds, time);
  const rows = accountIds.map((account_id) => ({ customer_id: customerId, account_id }));
  await db.insertInto('customer_accounts').values(rows).execute();
}

/** Deletes accounts without another customer. `lockAccounts` must have locked them. */
export async function deleteAccounts(
  trx: Executor,
  customerId: string,
  accountIds: readonly string[],
): Promise<void> {
  if (accountIds.length === 0) return;
  await trx
    .deleteFrom('customer_accounts')
    .where('customer_id', '=', customerId)
    .where('account_id', 'in', accountIds)
    .execute();
  await trx
    .deleteFrom('accounts')
    .where('id', 'in', accountIds)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('customer_accounts')
            .select('account_id')
            .whereRef('customer_accounts.account_id', '=', 'accounts.id'),
        ),
      ),
    )
    .execute();
}

/** Only one transaction at a time can check whether an account still has a customer. */
export async function lockAccounts(
  trx: Executor,
  accountIds: readonly string[],
  time: number,
): Promise<void> {
  const rows = [...accountIds].sort().map((id) => ({ id, create_time: time }));
  await insertOrLockRows(trx, 'accounts', 'id', rows);
}

export const customerPurge: Purge = {
  table: 'customers',
  steps: [ownedRows('credentials', 'customer_id', 'id'), deleteSomeAccounts],
};

async function deleteSomeAccounts(
  trx: Executor,
  customerId: string,
  limit: number,
): Promise<number> {
  const rows = await trx
    .selectFrom('customer_accounts')
    .innerJoin('accounts', 'accounts.id', 'account_id')
    .select(['accounts.id', 'accounts.create_time'])
    .where('customer_id', '=', customerId)
    .orderBy('accounts.id')
    .limit(limit)
    .execute();
  if (rows.length === 0) return 0;
  await insertOrLockRows(trx, 'accounts', 'id', rows);
  const ids = rows.map(({ id }) => id);
  await deleteAccounts(trx, customerId, ids);
  return ids.length;
}
