import { type Kysely, PostgresAdapter } from 'kysely';

/** Whether the database of a query is PostgreSQL. It is SQLite otherwise. */
export const isPostgres = (db: Pick<Kysely<unknown>, 'getExecutor'>): boolean =>
  db.getExecutor().adapter instanceof PostgresAdapter;
