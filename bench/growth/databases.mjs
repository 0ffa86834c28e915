// Opens a database to fill it quickly, without its indexes and triggers.
import { closeSync, fsyncSync, openSync } from 'node:fs';
import pg from 'pg';
import SQLite from '../sqlite.mjs';

export function openSqlite(file) {
  const db = new SQLite(file);
  // The database is filled once and does not have to survive a power failure.
  for (const pragma of ['journal_mode = OFF', 'synchronous = OFF', 'cache_size = -1000000']) {
    db.pragma(pragma);
  }
  db.pragma('foreign_keys = OFF');
  return {
    query: (text) => db.exec(text),
    /** Returns the statements that create the indexes and the triggers again. */
    dropIndexes(table) {
      const dropped = db
        .prepare(
          `select type, name, sql from sqlite_master
            where tbl_name = ? and type in ('index', 'trigger') and sql <> ''`,
        )
        .all(table);
      for (const { type, name } of dropped) db.exec(`drop ${type} ${name}`);
      return dropped.map(({ sql }) => sql);
    },
    // The triggers have recorded the updates as changes.
    settle: () => db.exec('delete from changes'),
    end() {
      db.close();
      // The commits that are measured must not wait for the pages of this file.
      const opened = openSync(file);
      fsyncSync(opened);
      closeSync(opened);
    },
  };
}

export async function openPostgres(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // Disables triggers and the checks of foreign keys.
  await client.query('set session_replication_role = replica');
  return {
    query: (text) => client.query(text),
    async dropIndexes(table) {
      const { rows } = await client.query(
        `select indexname as name, indexdef as sql from pg_indexes where tablename = $1
          and not exists (select from pg_constraint where conname = indexname)`,
        [table],
      );
      for (const { name } of rows) await client.query(`drop index ${name}`);
      return rows.map(({ sql }) => sql);
    },
    settle: () => client.query('vacuum analyze'),
    end: () => client.end(),
  };
}
