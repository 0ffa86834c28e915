import type { Executor, UserRow } from '../../storage/schema.ts';

export async function insertUser(db: Executor, row: UserRow): Promise<void> {
  await db.insertInto('users').values(row).execute();
}
