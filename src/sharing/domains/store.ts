import { sql } from 'kysely';
import { type List, type ListPage, readList } from '../../storage/queries/list.ts';
import type { ListQuery } from '../../storage/queries/list-request.ts';
import { countRows, hasRow } from '../../storage/queries/row-counts.ts';
import type { SearchTable } from '../../storage/queries/search.ts';
import { insertInto } from '../../storage/queries/table-queries.ts';
import type { DomainRow } from '../../storage/schema/domain-rows.ts';
import type { Executor } from '../../storage/schema/schema.ts';

const domainColumns = [
  ...(['id', 'workspace_id', 'name', 'txt_value', 'is_primary'] as const),
  ...(['create_time', 'verify_time', 'creator_id'] as const),
] as const;

export const domainList = {
  sorts: { create_time: 'number' },
  searches: ['name', 'id'],
} as const satisfies List;

export const domainSearch: SearchTable = {
  table: 'domains',
  idPrefix: 'dom',
  texts: ['name'],
  workspace: 'workspace_id',
  where: () => sql`remove_time is null`,
};

const selectDomains = (db: Executor, workspaceId: string) =>
  db
    .selectFrom('domains')
    .select(domainColumns)
    .where('workspace_id', '=', workspaceId)
    .where('remove_time', 'is', null);

export function findDomains(
  db: Executor,
  workspaceId: string,
  query: ListQuery,
): Promise<ListPage<DomainRow>> {
  return readList(db, selectDomains(db, workspaceId), domainList, query);
}

export function findDomain(
  db: Executor,
  workspaceId: string,
  id: string,
): Promise<DomainRow | undefined> {
  return selectDomains(db, workspaceId).where('id', '=', id).executeTakeFirst();
}

export function countDomains(db: Executor, workspaceId: string): Promise<number> {
  return countRows(
    db
      .selectFrom('domains')
      .where('workspace_id', '=', workspaceId)
      .where('remove_time', 'is', null),
  );
}

export const insertDomain = insertInto('domains');

/** Fails with a unique violation if a domain of another workspace is verified. */
export async function verifyDomain(
  trx: Executor,
  { id, name }: DomainRow,
  time: number,
): Promise<void> {
  await trx
    .deleteFrom('domains')
    .where('name', '=', name)
    .where('remove_time', 'is not', null)
    .execute();
  await trx.updateTable('domains').set({ verify_time: time }).where('id', '=', id).execute();
}

/** Makes the domain the only primary one of its workspace, or not primary. */
export async function setPrimary(
  trx: Executor,
  { id, workspace_id }: DomainRow,
  isPrimary: boolean,
): Promise<void> {
  const domains = trx.updateTable('domains');
  if (!isPrimary) {
    await domains.set({ is_primary: 0 }).where('id', '=', id).execute();
    return;
  }
  await domains
    .set({ is_primary: 0 })
    .where('workspace_id', '=', workspace_id)
    .where('is_primary', '=', 1)
    .execute();
  await domains.set({ is_primary: 1 }).where('id', '=', id).execute();
}

/** The removed domains of a workspace that stay. */
const removedMax = 100;

/** Deletes a domain, or marks it as removed if readers may have URLs with it. */
export async function removeDomain(
  trx: Executor,
  { id, workspace_id, verify_time }: DomainRow,
  time: number,
): Promise<void> {
  if (verify_time === null) {
    await trx.deleteFrom('domains').where('id', '=', id).execute();
    return;
  }
  const change = { remove_time: time, is_primary: 0 };
  await trx.updateTable('domains').set(change).where('id', '=', id).execute();
  const newest = trx
    .selectFrom('domains')
    .select('id')
    .where('workspace_id', '=', workspace_id)
    .where('remove_time', 'is not', null)
    .orderBy('remove_time', 'desc')
    .limit(removedMax);
  await trx
    .deleteFrom('domains')
    .where('workspace_id', '=', workspace_id)
    .where('remove_time', 'is not', null)
    .where('id', 'not in', newest)
    .execute();
}

/** Returns the verified domains of all workspaces, also those that were removed. */
export function findVerifiedDomains(db: Executor) {
  return db
    .selectFrom('domains')
    .select(['workspace_id', 'name', 'is_primary', 'remove_time'])
    .where('verify_time', 'is not', null)
    .execute();
}

/** @param name any text, because a proxy passes the host name that a client sent */
export async function isVerifiedDomain(db: Executor, name: string): Promise<boolean> {
  if (!/^[a-z0-9.-]{1,253}$/.test(name)) return false;
  return hasRow(
    db
      .selectFrom('domains')
      .where('name', '=', name)
      .where('verify_time', 'is not', null)
      .where('remove_time', 'is', null),
  );
}
