import { type SqlBool, sql } from 'kysely';

/**
 * Selects the rows of `links` whose document is not removed. With `exists`, PostgreSQL might read
 * the documents of all workspaces into a hash table.
 */
export const hasDocument = sql<SqlBool>`(select documents.id from documents
  where documents.id = links.document_id and documents.remove_time is null) is not null`;
