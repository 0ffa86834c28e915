import type { Executor, ViewRow } from '../../storage/schema.ts';

export async function insertView(db: Executor, row: ViewRow): Promise<void> {
  await db.insertInto('views').values(row).execute();
}
