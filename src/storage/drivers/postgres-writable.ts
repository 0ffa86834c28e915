// Checks that a PostgreSQL server is writable. Does not load pg.

import { sql } from 'kysely';
import { isPostgres } from '../schema/dialect.ts';
import type { Database } from '../schema/schema.ts';

/** SQLSTATE 25006 on a read-only server, whose reads would miss revocations. */
export const requireWritable = `do $$ begin
  if current_setting('transaction_read_only')::boolean then
    raise exception 'the PostgreSQL server is read-only' using errcode = '25006';
  end if;
end $$`;

export async function requireWritableServer(db: Database): Promise<void> {
  if (!isPostgres(db)) return;
  await sql.raw(requireWritable).execute(db);
}
