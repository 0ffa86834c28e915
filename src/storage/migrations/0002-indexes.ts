import { type Kysely, sql } from 'kysely';

/**
 * Adds the column that marks a removed document, and an index that finds the marked rows. The index
 * covers no other rows, so that it costs nothing for them.
 */
export async function markRemovedDocuments(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('documents').addColumn('remove_time', 'bigint').execute();
  await db.schema
    .createIndex('documents_removed')
    .on('documents')
    .columns(['remove_time', 'id'])
    .where(sql.ref('remove_time'), 'is not', null)
    .execute();
}

/**
 * Creates the index that finds the live sessions of a user. Without it, a sign-in reads all revoked
 * sessions that have not expired yet.
 */
export async function indexLiveSessions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('sessions_live')
    .on('sessions')
    .columns(['user_id', 'create_time', 'id'])
    .where(sql.ref('revoke_time'), 'is', null)
    .execute();
}

const owners = ['client_id', 'customer_id', 'workspace_id'];

/**
 * Creates the indexes that find the live credentials of an owner. Without them, issuing a
 * credential reads all credentials that the owner ever had.
 */
export async function indexLiveCredentials(db: Kysely<unknown>): Promise<void> {
  for (const owner of owners) {
    await db.schema
      .createIndex(`credentials_live_${owner}`)
      .on('credentials')
      .columns([owner, 'expire_time'])
      .where(sql.ref('revoke_time'), 'is', null)
      .where(sql.ref(owner), 'is not', null)
      .execute();
  }
}
