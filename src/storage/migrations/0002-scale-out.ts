// Adds the tables that several nodes coordinate with. Expands only: the previous release runs on
// this schema too.
import type { Kysely } from 'kysely';
import { createChanges } from './0002-changes.ts';
import { indexLiveCredentials, indexLiveSessions, markRemovedDocuments } from './0002-indexes.ts';
import { createIndex } from './indexes.ts';

export async function scaleOut(db: Kysely<unknown>): Promise<void> {
  await createLeases(db);
  await createPendingBlobs(db);
  await createChanges(db);
  await markRemovedDocuments(db);
  await indexLiveCredentials(db);
  await indexLiveSessions(db);
}

async function createLeases(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('leases')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('owner', 'text', (c) => c.notNull())
    .addColumn('expire_time', 'bigint', (c) => c.notNull())
    .execute();
}

async function createPendingBlobs(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('pending_blobs')
    .addColumn('blob_id', 'text', (c) => c.primaryKey())
    .addColumn('owner', 'text', (c) => c.notNull())
    .addColumn('expire_time', 'bigint', (c) => c.notNull())
    .execute();
  await createIndex(db, 'pending_blobs', 'expire_time', ['expire_time']);
}
