import { sql } from 'kysely';
import { findBy } from '../../storage/queries/table-queries.ts';
import type { Executor, StoredView } from '../../storage/schema/schema.ts';
import { hasTarget } from '../../storage/schema/sharing-rows.ts';
import { ownedRows } from '../../storage/upkeep/purge.ts';
import type { DeleteSlice, RetentionRule } from '../../storage/upkeep/retention.ts';
import { type ViewScope, viewsIn } from '../queries/view-scopes.ts';

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

type Creator = { readonly workspaceId: string; readonly userId: string };

/** Returns the last view of each link whose creator gets mails about it, the newest first. */
export function findLastNoticed(
  db: Executor,
  { workspaceId, userId }: Creator,
  limit: number,
): Promise<StoredView[]> {
  return db
    .selectFrom('links')
    .innerJoin('link_notices', 'link_notices.link_id', 'links.id')
    .innerJoin('views', 'views.id', 'link_notices.view_id')
    .selectAll('views')
    .where('links.creator_id', '=', userId)
    .where('links.workspace_id', '=', workspaceId)
    .where('links.notify', '!=', '')
    .where(hasTarget)
    .orderBy('views.create_time', 'desc')
    .orderBy('views.id', 'desc')
    .limit(limit)
    .execute();
}

const findRead = findBy('notice_reads', 'workspace_id', 'user_id');

/** Undefined if the user has never read the notices. */
export const findReadTime = async (db: Executor, { workspaceId, userId }: Creator) =>
  (await findRead(db, workspaceId, userId))?.read_time;

/** Never moves a stored time back. */
export async function storeReadTime(
  db: Executor,
  { workspaceId: workspace_id, userId: user_id }: Creator,
  read_time: number,
): Promise<void> {
  await db
    .insertInto('notice_reads')
    .values({ workspace_id, user_id, read_time })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'user_id'])
        .doUpdateSet({ read_time })
        .where('notice_reads.read_time', '<', read_time),
    )
    .execute();
}

/**
 * Deletes the read times of erased users, which a node of an earlier release leaves behind. Each
 * round examines the next users, so that its time does not grow with the table.
 */
export function readTimesRule(): RetentionRule {
  let position = '';
  const deleteSlice: DeleteSlice = async (trx, limit) => {
    const users = await trx
      .selectFrom('notice_reads')
      .leftJoin('users', 'users.id', 'notice_reads.user_id')
      .select(['user_id', 'users.id', 'purge_time', 'delete_time'])
      .where('user_id', '>', position)
      .groupBy(['user_id', 'users.id', 'purge_time', 'delete_time'])
      .orderBy('user_id')
      .limit(limit)
      .execute();
    let deleted = 0;
    for (const { user_id, id, purge_time, delete_time } of users) {
      const isErased = id === null || (purge_time !== null && delete_time === null);
      if (isErased) deleted += await deleteReadTimes(trx, user_id, limit - deleted);
      // The next slice continues with the rest.
      if (deleted === limit) return deleted;
      position = user_id;
    }
    if (users.length < limit) position = '';
    return deleted;
  };
  return { rows: 'notice_reads', begin: () => deleteSlice };
}

const deleteReadTimes = ownedRows('notice_reads', 'user_id', 'workspace_id');
