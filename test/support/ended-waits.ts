import type { App } from '../../src/boot/app.ts';
import type { PurgedTable } from '../../src/storage/upkeep/purge.ts';
import { changeAsOtherProcess } from './owner-rows.ts';

/** Ends the waiting time of a deleted resource. */
export async function endWait(
  { inside: { db } }: App,
  table: PurgedTable,
  id: string,
  delete_time = 1,
) {
  await changeAsOtherProcess(db, (trx) =>
    trx.updateTable(table).set({ delete_time }).where('id', '=', id).execute(),
  );
}

/** Ends the waiting time, and deletes the resource for good. */
export async function purge(app: App, table: PurgedTable, id: string): Promise<void> {
  await endWait(app, table, id);
  await app.inside.deleteOldRows();
}
