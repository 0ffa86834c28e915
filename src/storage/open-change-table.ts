// Chooses the operations on the table `changes` for a database.

import type { ChangeTable } from './change-table.ts';
import { isPostgres } from './dialect.ts';
import { postgresChanges } from './postgres-changes.ts';
import type { Executor } from './schema.ts';
import { sqliteChanges } from './sqlite-changes.ts';

export function changeTableOf(db: Executor): ChangeTable<unknown> {
  return (isPostgres(db) ? postgresChanges : sqliteChanges) as ChangeTable<unknown>;
}
