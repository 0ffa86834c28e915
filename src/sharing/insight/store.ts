import { sql } from 'kysely';
import type { Executor } from '../../storage/schema.ts';
import { type ViewScope, viewsIn } from '../../storage/view-scopes.ts';

/** Views that are counted by day. */
const countedMax = 50_000;

/** Every day of every time zone begins at such a quarter of an hour. */
const quarterMs = 900_000;

/** Counts the views of days. `starts`: the starts of successive days, the last of them today. */
export async function countViewsByDay(
  db: Executor,
  scope: ViewScope,
  starts: readonly number[],
): Promise<number[]> {
  const [start = 0] = starts;
  const newest = viewsIn(db, scope)
    .select('create_time')
    .where('create_time', '>=', start)
    .orderBy('create_time', 'desc')
    .limit(countedMax)
    .as('counted');
  const rows = await db
    .selectFrom(newest)
    .select((eb) => [
      sql<number>`create_time / ${sql.lit(quarterMs)}`.as('quarter'),
      eb.fn.countAll().as('views'),
    ])
    .groupBy(sql.ref('quarter'))
    .orderBy(sql.ref('quarter'))
    .execute();
  const counts = starts.map(() => 0);
  let day = 0;
  for (const { quarter, views } of rows) {
    while ((starts[day + 1] ?? Infinity) <= quarter * quarterMs) day++;
    counts[day] = (counts[day] ?? 0) + Number(views);
  }
  return counts;
}
