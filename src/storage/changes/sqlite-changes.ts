// Reads changes from SQLite. It runs one writing transaction at a time, so the ids of changes are
// in the order of their commits.
import { sql } from 'kysely';
import { deletionNote, type Entity, noChanges } from '../schema/change.ts';
import { type ChangeTable, changesIn, type JoinedRow } from './change-table.ts';

/** The highest id that was ever assigned. */
type Position = { readonly lastId: number };

const sequence = sql`(select coalesce(max(seq), 0) as seq from sqlite_sequence
  where name = 'changes')`;

export const sqliteChanges: ChangeTable<Position> = {
  async readSince(db, before) {
    const unseen = before === undefined ? sql`false` : sql`c.id > ${before.lastId}`;
    const { rows } = await sql<JoinedRow & { readonly last_id: number }>`
      select s.seq as last_id, c.id, c.entity, c.entity_id, c.expire_time
      from ${sequence} s left join changes c on ${unseen}
      order by c.id
    `.execute(db);
    const lastId = rows[0]?.last_id ?? 0;
    const position = { lastId };
    if (before === undefined) return { changes: { ...noChanges, lastId }, position };
    const changes = changesIn(rows, before.lastId + 1);
    // Ids do not decrease, unless the file was replaced.
    const isComplete = changes.isComplete && lastId >= before.lastId;
    return { changes: { ...changes, isComplete, lastId }, position };
  },

  readOwn: (trx, afterId) =>
    trx
      .selectFrom('changes')
      .select(['id', 'entity', 'entity_id as entityId', 'expire_time as expireTime'])
      .where('id', '>', afterId)
      .where('entity', '!=', deletionNote)
      .$narrowType<{ entity: Entity }>()
      .execute(),

  async readBoundary(db) {
    const { rows } = await sql<{ boundary: number }>`
      select seq + 1 as boundary from ${sequence} s
    `.execute(db);
    return rows[0]?.boundary ?? 0;
  },

  isBefore: (boundary) => sql`id < ${boundary}`,
};
