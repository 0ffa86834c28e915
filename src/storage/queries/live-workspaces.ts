import { type SqlBool, sql } from 'kysely';

/** Whether the workspace in a column of another table is not deleted. */
export const inLiveWorkspace = (column: string) =>
  sql<SqlBool>`(select w.delete_time from workspaces as w where w.id = ${sql.ref(column)}) is null`;
