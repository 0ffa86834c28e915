// Chooses the operations on the table `changes` for a database.

import { isPostgres } from '../schema/dialect.ts';
import type { Executor } from '../schema/schema.ts';
import type { ChangeTable } from './change-table.ts';
import { postgresChanges } from './postgres-changes.ts';
import { sqliteChanges } from './sqlite-changes.ts';

export function changeTableOf(db: Executor): ChangeTable<unknown> {
  return (isPostgres(db) ? postgresChanges : sqliteChanges) as ChangeTable<unknown>;
}
