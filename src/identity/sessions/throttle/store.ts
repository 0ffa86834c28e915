import type { Executor, SignInCounterRow } from '../../../storage/schema.ts';

export function findCounters(db: Executor, keys: readonly string[]): Promise<SignInCounterRow[]> {
  return db.selectFrom('sign_in_counters').selectAll().where('key', 'in', keys).execute();
}

/** Reads a counter, made where there is none, and keeps others from it until the commit. */
export function lockCounter(trx: Executor, key: string): Promise<SignInCounterRow> {
  return trx
    .insertInto('sign_in_counters')
    .values({ key, level_time: 0, next_time: 0 })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((eb) => ({ key: eb.ref('excluded.key') })),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function updateCounter(trx: Executor, row: SignInCounterRow): Promise<void> {
  const { key, ...change } = row;
  await trx.updateTable('sign_in_counters').set(change).where('key', '=', key).execute();
}

/** Takes an attempt back, and its wait, unless another one has set a wait since. */
export async function takeBack(
  trx: Executor,
  { key, next_time }: SignInCounterRow,
  addedMs: number,
  now: number,
): Promise<void> {
  await trx
    .updateTable('sign_in_counters')
    .set((eb) => ({
      level_time: eb('level_time', '-', addedMs),
      next_time: eb
        .case()
        .when('next_time', '=', next_time)
        .then(now)
        .else(eb.ref('next_time'))
        .end(),
    }))
    .where('key', '=', key)
    .execute();
}

export async function deleteCounter(trx: Executor, key: string): Promise<void> {
  await trx.deleteFrom('sign_in_counters').where('key', '=', key).execute();
}

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

/** Forgets attempts that are no longer counted, and networks last seen before `networksSince`. */
export async function forget(trx: Executor, now: number, networksSince: number): Promise<void> {
  await trx.deleteFrom('sign_in_counters').where('level_time', '<=', now).execute();
  await trx.deleteFrom('familiar_networks').where('last_time', '<', networksSince).execute();
}
