// Reads changes from PostgreSQL. Transactions do not commit in the order of their ids, so a
// position is a snapshot. It says which transactions had ended at a read; the next read returns the
// changes of all others.
import { sql } from 'kysely';
import { type Entity, noChanges } from '../schema/change.ts';
import { type ChangeTable, changesIn, type JoinedRow } from './change-table.ts';

type Position = {
  /** Changes with a restart, crash or failover, and if the table was created again. */
  readonly origin: string;
  /** All transactions with a lower id had ended. */
  readonly xmin: number;
  /** No transaction with this id or a higher one had ended. */
  readonly xmax: number;
  /** The transactions between that had not ended. */
  readonly running: readonly number[];
};

type Row = JoinedRow & {
  readonly is_standby: boolean;
  readonly origin: string;
  readonly snapshot: string;
};

const ownId = sql<number>`pg_current_xact_id()::text::bigint`;

/** Rows with this id or higher ones come from a dump of another server. */
const xmax = sql`pg_snapshot_xmax(pg_current_snapshot())::text::bigint`;

/**
 * The time of the last crash: the server resets its statistics when it recovers. It then reuses ids
 * that were not yet on the disk.
 */
const recoveryTime = sql`(select extract(epoch from stats_reset) from pg_stat_bgwriter)`;
const startTime = sql`extract(epoch from pg_postmaster_start_time())`;

export const postgresChanges: ChangeTable<Position> = {
  async readSince(db, before) {
    const unseen =
      before === undefined
        ? sql`false`
        : sql`(c.xact_id >= ${before.xmax} and c.xact_id < ${xmax})
            or c.xact_id = any(${before.running}::bigint[])`;
    // A statement has one snapshot, which also decides which rows it sees.
    const { rows } = await sql<Row>`
      select s.is_standby, s.origin, s.snapshot, c.id, c.entity, c.entity_id, c.expire_time
      from (
        select pg_is_in_recovery() as is_standby,
          concat_ws(' ', ${startTime}, ${recoveryTime}, 'changes'::regclass::oid) as origin,
          pg_current_snapshot()::text as snapshot
      ) s
      left join changes c on ${unseen}
      order by c.id
    `.execute(db);
    const [first] = rows;
    if (first === undefined) throw new Error('the database returned no snapshot');
    if (first.is_standby) throw new Error('the database is a standby, which may lag behind');
    const position = { origin: first.origin, ...parseSnapshot(first.snapshot) };
    if (before === undefined) return { changes: noChanges, position };
    const changes = changesIn(rows, before.xmin);
    const isSameOrigin = position.origin === before.origin && position.xmax >= before.xmax;
    const isComplete = changes.isComplete && isSameOrigin;
    return { changes: { ...noChanges, ...changes, isComplete }, position };
  },

  readOwn: (trx) =>
    trx
      .selectFrom('changes')
      .select(['id', 'entity', 'entity_id as entityId', 'expire_time as expireTime'])
      .where('xact_id', '=', ownId)
      .$narrowType<{ entity: Entity }>()
      .execute(),

  async readBoundary(db) {
    const { rows } = await sql<{ boundary: number }>`
      select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as boundary
    `.execute(db);
    return rows[0]?.boundary ?? 0;
  },

  isBefore: (boundary) => sql`(xact_id < ${boundary} or xact_id >= ${xmax})`,
};

/** Parses `<xmin>:<xmax>:<running>,<running>,…`. */
function parseSnapshot(text: string): Pick<Position, 'xmin' | 'xmax' | 'running'> {
  const [xmin = '', xmax = '', running = ''] = text.split(':');
  const ids = running === '' ? [] : running.split(',').map(Number);
  return { xmin: Number(xmin), xmax: Number(xmax), running: ids };
}
