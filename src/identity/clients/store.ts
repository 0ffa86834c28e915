import type { ClientRow, Executor } from '../../storage/schema.ts';

export async function insertClient(db: Executor, row: ClientRow): Promise<void> {
  await db.insertInto('clients').values(row).execute();
}
