import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('revoked_tokens')
    .addColumn('revision', 'bigint', (c) => c.notNull().defaultTo(sql.lit(0)))
    .execute();
  await db.schema
    .createIndex('revoked_tokens_revision')
    .on('revoked_tokens')
    .column('revision')
    .execute();
}
