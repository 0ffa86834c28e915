// Lets an address have several invitations to a workspace: an earlier one stays valid until the
// mail of a later one is sent. Indexes the thumbprints of client keys for the search, and names the
// providers that created users. Drops only a constraint: earlier releases run on the schema.
import { type Kysely, SqliteAdapter, sql } from 'kysely';
import { createSortIndex } from './0005-lists.ts';
import { createInvitations } from './0007-identity.ts';
import { indexInvitationsByUser } from './0033-creators.ts';
import { indexInvitations } from './0034-search.ts';
import { createIndex } from './indexes.ts';

export async function allowSeveralInvitations(db: Kysely<unknown>): Promise<void> {
  await createSortIndex(db, 'client_keys', 'search_thumbprint', ['lower(thumbprint)', 'id']);
  // Earlier releases managed only the grants of users that the provider had created.
  await sql`update users set creator_id = (
    select min(provider_id) from user_identities where user_id = users.id and manages_grants = 1
  ) where creator_id is null`.execute(db);
  if (!(db.getExecutor().adapter instanceof SqliteAdapter)) {
    await sql`alter table invitations drop constraint invitations_email`.execute(db);
    await createIndex(db, 'invitations', 'email', ['workspace_id', 'email']);
    return;
  }
  // SQLite drops a constraint only together with its table.
  await sql`create temporary table kept_invitations as select * from invitations`.execute(db);
  await db.schema.dropTable('invitations').execute();
  await createInvitations(db, { isUnique: false });
  await indexInvitationsByUser(db);
  await indexInvitations(db);
  await sql`insert into invitations select * from kept_invitations`.execute(db);
  await sql`drop table kept_invitations`.execute(db);
}
