import pg from 'pg';
import SQLite from '../sqlite.mjs';

/** Returns the bytes of each table with its indexes, largest first. */
export async function sizesOf(url) {
  if (url.startsWith('sqlite:')) {
    const db = new SQLite(url.slice('sqlite:'.length), { readonly: true });
    const rows = db
      .prepare(
        `select m.tbl_name as name, sum(s.pgsize) as bytes from dbstat s
          join sqlite_master m on m.name = s.name where s.aggregate = true
          group by 1 order by 2 desc`,
      )
      .all();
    db.close();
    return rows;
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    `select relname as name, pg_total_relation_size(relid)::float8 as bytes
      from pg_stat_user_tables order by 2 desc`,
  );
  await client.end();
  return rows;
}
