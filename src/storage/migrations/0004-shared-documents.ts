// Records the changes of documents and links, whose rows are cached. Expands only: processes of
// earlier releases do not cache these rows.
import type { Kysely } from 'kysely';
import { type CachedTable, createTriggers, rowsWithRandomIds } from './0002-changes.ts';

const cachedTables: readonly CachedTable[] = [
  {
    table: 'documents',
    entity: 'document',
    id: 'id',
    columns: [
      ...['id', 'workspace_id', 'name', 'content_type', 'size_bytes', 'sha256', 'page_count'],
      ...['blob_id', 'create_time', 'remove_time'],
    ],
    events: rowsWithRandomIds,
  },
  {
    table: 'links',
    entity: 'link',
    id: 'id',
    columns: [
      ...['id', 'slug', 'workspace_id', 'document_id', 'name', 'email_required'],
      ...['email_verification_required', 'password_hash', 'allow_download', 'gate_revision'],
      ...['create_time', 'expire_time', 'revoke_time'],
    ],
    events: rowsWithRandomIds,
  },
];

export function recordSharedDocuments(db: Kysely<unknown>): Promise<void> {
  return createTriggers(db, cachedTables);
}
