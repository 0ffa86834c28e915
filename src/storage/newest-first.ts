import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { PageQuery } from './page-token.ts';

/** One row more than a page, which shows that there is another page. */
export function selectNewestFirst<DB, T extends keyof DB, O>(
  query: SelectQueryBuilder<DB, T, O>,
  { limit, after }: PageQuery,
  id: 'id' | 'kid' = 'id',
): SelectQueryBuilder<DB, T, O> {
  const sorted = query
    .orderBy(sql.ref('create_time'), 'desc')
    .orderBy(sql.ref(id), 'desc')
    .limit(limit + 1);
  if (after === undefined) return sorted;
  return sorted.where(sql<SqlBool>`(create_time, ${sql.ref(id)}) < (${after.time}, ${after.id})`);
}
