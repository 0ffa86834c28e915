import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await accounts(db);
  for (const table of ['clients', 'customers', 'accounts']) {
    await db.schema
      .createIndex(`${table}_newest`)
      .on(table)
      .columns(['create_time', 'id'])
      .execute();
  }
}

/** Accounts become rows of their own, apart from the customers that have them. */
async function accounts(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('accounts').renameTo('accounts_0001').execute();
  await db.schema
    .createTable('accounts')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('create_time', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('customer_accounts')
    .addColumn('customer_id', 'text', (c) => c.notNull().references('customers.id'))
    .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id'))
    .addPrimaryKeyConstraint('customer_accounts_pkey', ['customer_id', 'account_id'])
    .execute();
  await db.schema
    .createIndex('customer_accounts_account')
    .on('customer_accounts')
    .column('account_id')
    .execute();
  // No time was kept; accounts were given to a customer when it was created.
  await sql`insert into accounts (id, create_time)
    select a.account_id, min(c.create_time)
    from accounts_0001 a join customers c on c.id = a.customer_id
    group by a.account_id`.execute(db);
  await sql`insert into customer_accounts (customer_id, account_id)
    select customer_id, account_id from accounts_0001`.execute(db);
  await db.schema.dropTable('accounts_0001').execute();
}
