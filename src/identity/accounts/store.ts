import { type List, type ListPage, readList } from '../../storage/queries/list.ts';
import type { ListQuery } from '../../storage/queries/list-request.ts';
import type { SearchTable } from '../../storage/queries/search.ts';
import type { AccountRow, Executor } from '../../storage/schema/schema.ts';

export type AccountFilter = {
  readonly customerId?: string;
  readonly ids?: readonly string[];
};

export const accountList = {
  sorts: { create_time: 'number', id: 'text' },
  searches: ['id'],
} as const satisfies List;

export const accountSearch: SearchTable = { table: 'accounts', idPrefix: '', texts: [] };

export async function findAccounts(
  db: Executor,
  filter: AccountFilter,
  query: ListQuery,
): Promise<ListPage<AccountRow>> {
  if (isEmpty(filter)) return { rows: [], nextPageToken: '', totalSize: 0 };
  return readList(db, accounts(db, filter), accountList, query);
}

export async function findAccount(
  db: Executor,
  filter: AccountFilter,
  id: string,
): Promise<AccountRow | undefined> {
  if (isEmpty(filter)) return undefined;
  return accounts(db, filter).where('id', '=', id).executeTakeFirst();
}

/** PostgreSQL does not accept an empty list. */
const isEmpty = ({ ids }: AccountFilter) => ids?.length === 0;

function accounts(db: Executor, { customerId, ids }: AccountFilter) {
  const query = db.selectFrom('accounts').selectAll();
  return query
    .$if(ids !== undefined, (all) => all.where('id', 'in', ids ?? []))
    .$if(customerId !== undefined, (all) =>
      all.where('id', 'in', ({ selectFrom }) =>
        selectFrom('customer_accounts')
          .select('account_id')
          .where('customer_id', '=', customerId ?? ''),
      ),
    );
}
