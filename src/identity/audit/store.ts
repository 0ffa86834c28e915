import type { AuditEventRow, Executor } from '../../storage/schema.ts';

export async function insertEvents(db: Executor, rows: readonly AuditEventRow[]): Promise<void> {
  if (rows.length > 0) await db.insertInto('audit_events').values(rows).execute();
}
