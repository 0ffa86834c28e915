import { selectNewestFirst } from '../../storage/newest-first.ts';
import type { PageQuery } from '../../storage/page-token.ts';
import type { ClientRow, Executor } from '../../storage/schema.ts';

export async function insertClient(db: Executor, row: ClientRow): Promise<void> {
  await db.insertInto('clients').values(row).execute();
}

export function findClient(db: Executor, id: string): Promise<ClientRow | undefined> {
  return db.selectFrom('clients').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Reads a page and one row more. */
export function findClients(db: Executor, page: PageQuery): Promise<ClientRow[]> {
  return selectNewestFirst(db.selectFrom('clients').selectAll(), page).execute();
}

export type ClientChange = Partial<Pick<ClientRow, 'name' | 'scopes' | 'disable_time'>>;

export async function updateClient(trx: Executor, id: string, change: ClientChange): Promise<void> {
  await trx.updateTable('clients').set(change).where('id', '=', id).execute();
}
