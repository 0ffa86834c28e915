// Finds events for a caller. If a filter needs more than an index, one call scans a limited number
// of events, in short queries, so that it does not block SQLite or a connection for long.
import { takeTurn } from '../base/limits/turns.ts';
import type { PageQuery, Position } from '../storage/queries/page-token.ts';
import { pageOf, pageTokenAt } from '../storage/queries/page-token.ts';
import type { AuditEventRow, Database } from '../storage/schema/schema.ts';
import { type EventFilter, isIndexed, selectEvents, selectScanEnd } from './store.ts';

const scannedMax = 5_000;
const scansMax = 20;

export type EventPage = {
  readonly rows: readonly AuditEventRow[];
  /** Empty on the last page. A page that is not full may be followed by another one. */
  readonly nextPageToken: string;
};

export async function findEvents(
  db: Database,
  filter: EventFilter,
  page: PageQuery,
): Promise<EventPage> {
  if (isIndexed(filter)) return pageOf(await selectEvents(db, filter, page).execute(), page);
  const found: AuditEventRow[] = [];
  let { after } = page;
  for (let scan = 0; scan < scansMax; scan++) {
    const floor = await findFloor(db, filter, after);
    const rest = { limit: page.limit - found.length, after };
    found.push(...(await selectEvents(db, filter, rest, floor).execute()));
    if (found.length > page.limit || floor === undefined) return pageOf(found, page);
    after = floor;
    await takeTurn();
  }
  return { rows: found, nextPageToken: after === undefined ? '' : pageTokenAt(after) };
}

async function findFloor(
  db: Database,
  filter: EventFilter,
  after: Position | undefined,
): Promise<Position | undefined> {
  const row = await selectScanEnd(db, filter, after, scannedMax).executeTakeFirst();
  return row === undefined ? undefined : { time: row.create_time, id: row.id };
}
