import { sql } from 'kysely';
import type { Executor } from '../../storage/schema.ts';
import type { ViewScope } from '../views/views.ts';

/** Views that are counted by day. */
const countedMax = 50_000;

export const dayMs = 86_400_000;

/** Counts the views since `start` by their day: the number of days since 1970. */
export async function countViewsByDay(
  db: Executor,
  { column, id }: ViewScope,
  start: number,
): Promise<ReadonlyMap<number, number>> {
  const newest = db
    .selectFrom('views')
    .select('create_time')
    .where(column, '=', id)
    .where('create_time', '>=', start)
    .orderBy('create_time', 'desc')
    .limit(countedMax)
    .as('counted');
  const rows = await db
    .selectFrom(newest)
    .select((eb) => [
      sql<number>`create_time / ${sql.lit(dayMs)}`.as('day'),
      eb.fn.countAll().as('views'),
    ])
    .groupBy(sql.ref('day'))
    .execute();
  return new Map(rows.map(({ day, views }) => [Number(day), Number(views)]));
}
