// Chooses the operations on the table `changes` for a database.
import { SqliteAdapter } from 'kysely';
import type { ChangeTable } from './change-table.ts';
import { postgresChanges } from './postgres-changes.ts';
import type { Executor } from './schema.ts';
import { sqliteChanges } from './sqlite-changes.ts';

export function changeTableOf(db: Executor): ChangeTable<unknown> {
  const isSqlite = db.getExecutor().adapter instanceof SqliteAdapter;
  return (isSqlite ? sqliteChanges : postgresChanges) as ChangeTable<unknown>;
}
