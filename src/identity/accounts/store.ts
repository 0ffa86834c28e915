import { selectNewestFirst } from '../../storage/newest-first.ts';
import type { PageQuery } from '../../storage/page-token.ts';
import type { AccountRow, Executor } from '../../storage/schema.ts';

/** Selects accounts. An unset field does not filter. */
export type AccountFilter = {
  /** Selects the accounts of this customer. */
  readonly customerId?: string;
  readonly ids?: readonly string[];
};

/** Reads a page and one row more. */
export async function findAccounts(
  db: Executor,
  filter: AccountFilter,
  page: PageQuery,
): Promise<AccountRow[]> {
  if (isEmpty(filter)) return [];
  return selectNewestFirst(accounts(db, filter), page).execute();
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
