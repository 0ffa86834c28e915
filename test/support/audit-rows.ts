// Reads the tables and the audit log, and makes writes to the audit log fail.
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { newId } from '../../src/base/crypto/ids.ts';
import type { AuditEventRow, Database } from '../../src/storage/schema/schema.ts';
import type { Dialect } from './matrix.ts';

/** An event of a change by a service client, unless the fields say otherwise. */
export const auditEventRow = (fields: Partial<AuditEventRow> = {}): AuditEventRow => ({
  id: newId('evt', randomBytes),
  create_time: Date.now(),
  actor_type: 'service',
  actor_id: '',
  action: 'ClientService.CreateClient',
  target: '',
  code: 'ok',
  reason: '',
  acting_client: '',
  token_id: '',
  count: 1,
  request_id: '',
  address: '192.0.2.1',
  ...fields,
});

export function auditEventsOf(db: Database, requestId: string): Promise<AuditEventRow[]> {
  return db
    .selectFrom('audit_events')
    .selectAll()
    .where('request_id', '=', requestId)
    .orderBy('create_time')
    .execute();
}

/** Excluded from comparisons: the service writes the time of last use in the background. */
const withoutUse = (name: string, value: unknown) =>
  name === 'last_used_time' ? undefined : value;

const tableNames = new WeakMap<Database, Promise<string[]>>();

/** Cached, because tests that compare all rows would query the schema thousands of times. */
function tableNamesOf(db: Database): Promise<string[]> {
  const known = tableNames.get(db) ?? db.introspection.getTables().then(namesOf);
  tableNames.set(db, known);
  return known;
}

const namesOf = (tables: readonly { name: string }[]) => tables.map(({ name }) => name).sort();

/** The tables that the service writes in the background, such as the events of refused calls. */
export const backgroundTables: readonly string[] = [
  ...['audit_events', 'changes', 'leases', 'processes', 'retention_times', 'revisions'],
  'usage_counts',
];

/** Returns every row of every table except those in `without`. */
export async function allRows(db: Database, without: readonly string[] = []): Promise<string[]> {
  const tables = await tableNamesOf(db);
  const rows: string[] = [];
  for (const table of tables.filter((name) => !without.includes(name))) {
    const found = await sql`select * from ${sql.table(table)}`.execute(db);
    rows.push(...found.rows.map((row) => `${table} ${JSON.stringify(row, withoutUse)}`).sort());
  }
  return rows;
}

const breaking: Record<Dialect, { broken: string[]; mended: string[] }> = {
  sqlite: {
    broken: [
      `create trigger no_events before insert on audit_events
       begin select raise(abort, 'there is no room for events'); end`,
    ],
    mended: ['drop trigger no_events'],
  },
  postgres: {
    broken: [
      `create function no_events() returns trigger language plpgsql
       as $$ begin raise exception 'there is no room for events'; end $$`,
      `create trigger no_events before insert on audit_events
       for each row execute function no_events()`,
    ],
    mended: ['drop trigger no_events on audit_events', 'drop function no_events()'],
  },
};

/** Runs `work` while the database rejects inserts of audit events. */
export async function withFailingAuditLog<T>(
  db: Database,
  dialect: Dialect,
  work: () => Promise<T>,
): Promise<T> {
  const { broken, mended } = breaking[dialect];
  for (const statement of broken) await sql.raw(statement).execute(db);
  try {
    return await work();
  } finally {
    for (const statement of mended) await sql.raw(statement).execute(db);
  }
}
