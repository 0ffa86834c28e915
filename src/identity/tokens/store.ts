import type { Database, Executor } from '../../storage/schema.ts';

export async function findRevoked(db: Database, now: number): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('revoked_tokens')
    .select('jti')
    .where('expire_time', '>', now)
    .execute();
  return new Set(rows.map((row) => row.jti));
}

export async function insertRevoked(db: Executor, jti: string, expireTime: number): Promise<void> {
  await db
    .insertInto('revoked_tokens')
    .values({ jti, expire_time: expireTime })
    .onConflict((conflict) => conflict.column('jti').doNothing())
    .execute();
}

export async function deleteExpired(db: Executor, now: number): Promise<void> {
  await db.deleteFrom('revoked_tokens').where('expire_time', '<=', now).execute();
}
