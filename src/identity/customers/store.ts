import type { CustomerRow, Executor } from '../../storage/schema.ts';

export async function insertCustomer(db: Executor, row: CustomerRow): Promise<void> {
  await db.insertInto('customers').values(row).execute();
}

/** Binds accounts to a customer; one account may belong to several. */
export async function insertAccounts(
  db: Executor,
  customerId: string,
  accountIds: readonly string[],
): Promise<void> {
  const rows = accountIds.map((account_id) => ({ customer_id: customerId, account_id }));
  if (rows.length > 0) await db.insertInto('accounts').values(rows).execute();
}
