// Changes of cached entities, for suites that need no particular one.
import { SqliteAdapter, sql } from 'kysely';
import { expect } from 'vitest';
import { transact } from '../../src/storage/database.ts';
import type { Database, Executor } from '../../src/storage/schema/schema.ts';

/** Inserts a revoked token, the cached row that needs no other row. */
export async function insertChangedRow(trx: Executor, jti: string): Promise<void> {
  const row = { jti, expire_time: Date.now() + 300_000, revision: 0 };
  await trx
    .insertInto('revoked_tokens')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('jti').doUpdateSet((eb) => ({
        expire_time: eb('revoked_tokens.expire_time', '+', 1),
      })),
    )
    .execute();
}

/** Changes the entity `revoked_token` with this id. */
export function changeEntity(db: Database, jti: string): Promise<void> {
  return transact(db, (trx) => insertChangedRow(trx, jti));
}

/**
 * Waits until every transaction has ended that began before this change was made, or before any
 * change: other tests use the same server.
 */
export async function waitForEarlierTransactions(db: Database, jti?: string): Promise<void> {
  if (db.getExecutor().adapter instanceof SqliteAdapter) return;
  const chosen = jti === undefined ? sql`true` : sql`entity_id = ${jti}`;
  const haveEnded = async () => {
    const { rows } = await sql<{ ended: boolean }>`
      select pg_snapshot_xmin(pg_current_snapshot())::text::bigint > max(xact_id) as ended
      from changes where ${chosen}
    `.execute(db);
    return rows[0]?.ended;
  };
  await expect.poll(haveEnded).toBe(true);
}

/** Replaces the table, so that every process may have missed changes. */
export function replaceChanges(db: Database): Promise<void> {
  return db.getExecutor().adapter instanceof SqliteAdapter ? emptyTable(db) : recreateTable(db);
}

/** Has the same effect as replacing the database file. */
async function emptyTable(db: Database): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`delete from changes`.execute(trx);
    await sql`delete from sqlite_sequence`.execute(trx);
  });
}

/** Has the same effect as restoring a dump into the database. */
async function recreateTable(db: Database): Promise<void> {
  await transact(db, async (trx) => {
    await sql`create table copy (like changes including all)`.execute(trx);
    await sql`drop table changes`.execute(trx);
    await sql`alter table copy rename to changes`.execute(trx);
  });
}
