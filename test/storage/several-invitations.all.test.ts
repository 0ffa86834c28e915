// The migration that lets an address have several invitations to a workspace.
import { type Kysely, sql } from 'kysely';
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
      await addProvidedUser(db);
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
    const users = await db.selectFrom('users').select(['id', 'creator_id']).orderBy('id').execute();
    expect(users).toEqual([
      { id: 'usr_created', creator_id: 'idp_1' },
      { id: 'usr_linked', creator_id: null },
    ]);
  });
});

/** Two users of a provider: it created one, and the other one was linked. */
async function addProvidedUser(db: Kysely<unknown>): Promise<void> {
  const texts = ['name', 'issuer', 'client_id', 'secret_ciphertext', 'master_key_id'];
  texts.push('allowed_domains', 'role_mappings', 'groups_claim', 'email_verified_claim');
  texts.push('additional_scopes');
  const columns = sql.raw(`id, enabled, create_users, create_time, ${texts.join(', ')}`);
  const values = sql.raw(`'idp_1', 1, 1, 1, ${texts.map(() => "''").join(', ')}`);
  await sql`insert into identity_providers (${columns}) values (${values})`.execute(db);
  for (const [id, manages] of Object.entries({ usr_created: 1, usr_linked: 0 })) {
    await sql`insert into users (id, kind, email, name, password_hash, scopes, create_time)
      values (${id}, 'member', ${`${id}@example.com`}, '', '', '', 1)`.execute(db);
    await sql`insert into user_identities
      (id, user_id, provider_id, subject, manages_grants, create_time)
      values (${`uid_${id}`}, ${id}, 'idp_1', ${id}, ${manages}, 1)`.execute(db);
  }
}
