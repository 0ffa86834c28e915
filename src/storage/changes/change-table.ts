// The operations on the table `changes` that differ between the databases.
import type { Expression, SqlBool } from 'kysely';
import { type Changes, deletionNote, type EntityChange } from '../schema/change.ts';
import type { ChangeRow, Database, Executor } from '../schema/schema.ts';

export type ChangesRead<Position> = { readonly changes: Changes; readonly position: Position };

export type ChangeTable<Position> = {
  /** Without a position, reads none. Costs one query. */
  readSince(db: Database, position: Position | undefined): Promise<ChangesRead<Position>>;
  /** It may return other changes too, with ids above `afterId`. */
  readOwn(trx: Executor, afterId: number): Promise<EntityChange[]>;
  /** Returns a boundary. Every change before it has been committed or rolled back. */
  readBoundary(db: Database): Promise<number>;
  isBefore(boundary: number): Expression<SqlBool>;
};

/** A row of a left join with the changes. Its columns are null if the join finds no change. */
export type JoinedRow = { [Name in keyof Omit<ChangeRow, 'xact_id'>]: ChangeRow[Name] | null };

/** `missedFrom` is the first boundary whose deletion the reader has not followed. */
export function changesIn(
  rows: readonly JoinedRow[],
  missedFrom: number,
): Pick<Changes, 'isComplete' | 'list'> {
  const list: EntityChange[] = [];
  let isComplete = true;
  for (const { id, entity, entity_id, expire_time } of rows) {
    if (id === null || entity === null || entity_id === null) continue;
    if (entity !== deletionNote) {
      list.push({ id, entity, entityId: entity_id, expireTime: expire_time });
    } else if (Number(entity_id) > missedFrom) {
      isComplete = false;
    }
  }
  return { isComplete, list };
}
