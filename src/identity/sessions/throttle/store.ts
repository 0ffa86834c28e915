import type { Executor } from '../../../storage/schema.ts';

export async function isFamiliar(db: Executor, key: string): Promise<boolean> {
  const row = await db
    .selectFrom('familiar_networks')
    .select('key')
    .where('key', '=', key)
    .executeTakeFirst();
  return row !== undefined;
}

export async function rememberNetwork(trx: Executor, key: string, now: number): Promise<void> {
  await trx
    .insertInto('familiar_networks')
    .values({ key, last_time: now })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ last_time: now }))
    .execute();
}

/** Forgets the networks that were last seen before `since`. */
export async function forgetNetworks(trx: Executor, since: number): Promise<void> {
  await trx.deleteFrom('familiar_networks').where('last_time', '<', since).execute();
}
