import { invalid } from '../../base/errors/errors.ts';
import { parseAudienceIds } from '../../credentials/token-settings.ts';
import type { List } from '../../storage/queries/list.ts';
import { hasRow } from '../../storage/queries/row-counts.ts';
import { lockRows } from '../../storage/queries/row-locks.ts';
import type { SearchTable } from '../../storage/queries/search.ts';
import { limitRows } from '../../storage/queries/table-limits.ts';
import {
  deleteBy,
  findBy,
  insertInto,
  listFrom,
  lockBy,
  updateBy,
} from '../../storage/queries/table-queries.ts';
import type { AudienceRow, Executor } from '../../storage/schema/schema.ts';

/** At most 1,000 rows exist. */
export function findAllAudiences(db: Executor): Promise<AudienceRow[]> {
  return db.selectFrom('audiences').selectAll().execute();
}

export const findAudience = findBy('audiences', 'id');
export const lockAudience = lockBy('audiences', 'id');

export const audienceList = {
  sorts: { create_time: 'number', name: 'text' },
  searches: ['name', 'identifier', 'id'],
} as const satisfies List;

export const audienceSearch: SearchTable = {
  table: 'audiences',
  idPrefix: 'aud',
  texts: ['name', 'identifier'],
  isSmall: true,
};

export const findAudiences = listFrom('audiences', audienceList);

export const requireFewAudiences = limitRows('audiences', 1_000, 'audiences');

export const insertAudience = insertInto('audiences');

export type AudienceChange = Partial<
  Omit<AudienceRow, 'id' | 'identifier' | 'create_time' | 'creator_id'>
>;

export const updateAudience = updateBy('audiences', 'id');
export const deleteAudience = deleteBy('audiences', 'id');

/** Returns whether a client or a customer has an audience. All ids have the same length. */
export async function isAudienceUsed(trx: Executor, id: string): Promise<boolean> {
  for (const table of ['clients', 'customers'] as const) {
    if (await hasRow(trx.selectFrom(table).where('audience_ids', 'like', `%${id}%`))) return true;
  }
  return false;
}

/**
 * Locks audiences, given in the stored form, so that they are not deleted before the transaction
 * ends. Throws `invalid_argument` if one does not exist.
 */
export type LockAudiences = (trx: Executor, stored: string | null | undefined) => Promise<void>;

export const lockAudiences: LockAudiences = async (trx, stored) => {
  const ids = parseAudienceIds(stored);
  const rows = await lockRows(trx, 'audiences', 'id', ids);
  const missing = ids.find((id) => !rows.some((row) => row.id === id));
  if (missing !== undefined) throw invalid('audience_ids', `${missing} does not exist`);
};
