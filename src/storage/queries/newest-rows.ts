// The newest rows of a query, and the number of all: a list that has only one page.
import type { SelectQueryBuilder } from 'kysely';
import type { Executor } from '../schema/schema.ts';
import { type ListPage, readList } from './list.ts';
import { parseListRequest } from './list-request.ts';
import { countRows } from './row-counts.ts';

const newestMax = 20;

const sorts = { create_time: 'number' } as const;

/** The first page of a list in its default order. */
export const newestQuery = parseListRequest(
  { pageSize: newestMax, pageToken: '', query: '', orderBy: '' },
  sorts,
);

export function readNewest<DB, T extends keyof DB, O>(
  db: Executor,
  base: SelectQueryBuilder<DB, T, O>,
  id?: string,
): Promise<ListPage<O>> {
  const list = { sorts, searches: [], ...(id === undefined ? {} : { id }) };
  return readList(db, base, list, newestQuery);
}

/** Finds the newest rows of the table that a user created. */
export function createdRows(table: 'audiences' | 'identity_providers' | 'trusted_issuers') {
  return {
    find: (db: Executor, { id }: { readonly id: string }) =>
      readNewest(
        db,
        db.selectFrom(table).where('creator_id', '=', id).select(['id', 'create_time']),
      ),
  };
}

/** Counts the rows of the table that a user created. */
export const countCreated = (table: 'clients' | 'customers') => (db: Executor, creatorId: string) =>
  countRows(db.selectFrom(table).where('creator_id', '=', creatorId));
