import { type RawBuilder, sql } from 'kysely';

const linksCountedMax = 1_000;

/**
 * Counts the links to each row of `documents` or `folders`, up to a maximum. The order is that of
 * an index. Without it, PostgreSQL reads the whole table if it expects many links to each row.
 */
export const linkCountOf = (
  table: 'documents' | 'folders',
  column: 'document_id' | 'folder_id',
): RawBuilder<number> => sql<number>`(select count(*) from (
    select 1 from links where links.${sql.id(column)} = ${sql.id(table, 'id')}
    order by links.workspace_id limit ${sql.lit(linksCountedMax)}
  ) as counted)`;
