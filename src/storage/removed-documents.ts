import { type SqlBool, sql } from 'kysely';

/** Selects the rows of `links` whose document is not removed. */
export const hasDocument = sql<SqlBool>`exists (select 1 from documents
  where documents.id = links.document_id and documents.remove_time is null)`;
