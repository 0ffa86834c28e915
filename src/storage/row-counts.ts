import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';

export async function countRows<DB, T extends keyof DB, O>(
  query: SelectQueryBuilder<DB, T, O>,
): Promise<number> {
  const counted = query.clearSelect().select(sql`count(*)`.as('count'));
  const { count }: { count?: unknown } = await counted.executeTakeFirstOrThrow();
  return Number(count);
}

export async function hasRow<DB, T extends keyof DB, O>(
  query: SelectQueryBuilder<DB, T, O>,
): Promise<boolean> {
  const found = query.clearSelect().select(sql.lit(1).as('found')).limit(1);
  return (await found.executeTakeFirst()) !== undefined;
}

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
