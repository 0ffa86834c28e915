// The migration that lets an address have several invitations to a workspace.
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { schemaMigrations } from '../../src/storage/migrate.ts';
import {
  freshDatabaseUrl,
  migrateWith,
  openUntilFinished,
  withRawDatabase,
} from '../support/databases.ts';
import { describeDialects } from '../support/matrix.ts';

describeDialects('a database with invitations', (dialect) => {
  it('keeps them, with their indexes, and can store several to one address', async () => {
    const url = await freshDatabaseUrl(dialect);
    const isEarlier = ([name]: [string, unknown]) => name < '0047';
    const earlier = Object.fromEntries(Object.entries(schemaMigrations).filter(isEarlier));
    await migrateWith(url, earlier);
    const columns = sql.raw(
      'id, workspace_id, email, role, inviter_type, inviter_id, digest, create_time, expire_time',
    );
    const rest = sql.raw("'ws_1', 'grace@example.com', 'member', 'member', 'usr_1', 'd', 1, 2");
    const insert = (id: string) =>
      sql`insert into invitations (${columns}) values (${id}, ${rest})`;
    const indexes = sql<{ name: string }>`${sql.raw(
      dialect === 'sqlite'
        ? "select name from sqlite_master where type = 'index' and tbl_name = 'invitations'"
        : "select indexname as name from pg_indexes where tablename = 'invitations'",
    )} order by 1`;
    const before = await withRawDatabase(url, async (db) => {
      await sql`insert into workspaces (id, name, create_time) values ('ws_1', '', 1)`.execute(db);
      await insert('inv_1').execute(db);
      await expect(insert('inv_2').execute(db)).rejects.toThrow(/unique/i);
      return (await indexes.execute(db)).rows;
    });

    const db = await openUntilFinished(url);
    await withRawDatabase(url, (raw) => insert('inv_2').execute(raw));

    expect(await db.selectFrom('invitations').selectAll().orderBy('id').execute()).toMatchObject(
      ['inv_1', 'inv_2'].map((id) => ({ id, email: 'grace@example.com', expire_time: 2 })),
    );
    const isGenerated = ({ name }: { name: string }) => name.startsWith('sqlite_autoindex');
    const named = before.filter((index) => !isGenerated(index));
    const after = (await indexes.execute(db)).rows;
    expect(after).toEqual(expect.arrayContaining([...named, { name: 'invitations_email' }]));
    expect(named.length).toBeGreaterThan(7);
  });
});
