import { type SelectQueryBuilder, sql } from 'kysely';

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
