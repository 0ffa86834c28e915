import type { Executor, SigningKeyRow } from '../../storage/schema.ts';

/** The keys that may verify a live token, newest first. */
export function findPublishedKeys(db: Executor): Promise<SigningKeyRow[]> {
  return db
    .selectFrom('signing_keys')
    .selectAll()
    .where('state', '!=', 'revoked')
    .orderBy('create_time', 'desc')
    .orderBy('kid')
    .execute();
}

export async function insertSigningKey(db: Executor, row: SigningKeyRow): Promise<void> {
  await db.insertInto('signing_keys').values(row).execute();
}

export async function countSigningKeys(db: Executor): Promise<number> {
  const { count } = await db
    .selectFrom('signing_keys')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}
