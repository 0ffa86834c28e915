import { sql } from 'kysely';
import type { Database, Executor, UsageCountRow } from '../../storage/schema/schema.ts';

export const usageDaysMax = 400;

export async function addUsageCounts(trx: Executor, rows: readonly UsageCountRow[]): Promise<void> {
  await trx
    .insertInto('usage_counts')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((eb) => ({
        count: eb('usage_counts.count', '+', eb.ref('excluded.count')),
      })),
    )
    .execute();
}

/** Days since 1970. */
type Days = { readonly first: number; readonly last: number };

export function findUsageCounts(
  db: Executor,
  subjectId: string,
  { first, last }: Days,
): Promise<UsageCountRow[]> {
  return db
    .selectFrom('usage_counts')
    .selectAll()
    .where('subject_id', '=', subjectId)
    .where('day', '>=', first)
    .where('day', '<=', last)
    .execute();
}

/**
 * Returns the ids that a request counts for: a client or a customer itself; a credential and its
 * owner. Other ids are not in the map.
 */
export async function findSubjects(
  db: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const owners = await db
    .selectFrom('clients')
    .select('id')
    .where('id', 'in', ids)
    .union(db.selectFrom('customers').select('id').where('id', 'in', ids))
    .execute();
  const credentials = await db
    .selectFrom('credentials')
    .select(({ fn }) => ['id', fn.coalesce('client_id', 'customer_id').as('owner')])
    .where('id', 'in', ids)
    .union(ownedByClient(db, 'client_keys', ids))
    .union(ownedByClient(db, 'federated_identities', ids))
    .execute();
  const subjects = new Map(owners.map(({ id }) => [id, [id]]));
  for (const { id, owner } of credentials) if (owner !== null) subjects.set(id, [id, owner]);
  return subjects;
}

const ownedByClient = (
  db: Database,
  table: 'client_keys' | 'federated_identities',
  ids: readonly string[],
) => db.selectFrom(table).select(['id', 'client_id as owner']).where('id', 'in', ids);

export type CredentialUse = { readonly id: string; readonly time: number };

/** Accepts the ids of client secrets, API keys, client keys and federated identities. */
export async function updateLastUsedTimes(
  db: Executor,
  uses: readonly CredentialUse[],
): Promise<void> {
  for (const table of ['credentials', 'client_keys', 'federated_identities'] as const) {
    await updateUsesIn(
      db,
      table,
      uses.filter(({ id }) => tableOf(id) === table),
    );
  }
}

function tableOf(credentialId: string) {
  if (credentialId.startsWith('jwk_')) return 'client_keys';
  return credentialId.startsWith('fed_') ? 'federated_identities' : 'credentials';
}

async function updateUsesIn(
  db: Executor,
  name: ReturnType<typeof tableOf>,
  uses: readonly CredentialUse[],
): Promise<void> {
  if (uses.length === 0) return;
  const values = sql.join(uses.map(({ id, time }) => sql`(${id}, cast(${time} as bigint))`));
  // Both dialects give these names to the columns of a `values` list.
  const used = sql<{ column1: string; column2: number }>`(values ${values})`.as<'used'>(
    sql.ref('used'),
  );
  // The columns of this query are the same in all three tables.
  await db
    .updateTable(name as 'credentials')
    .from(used)
    .set((eb) => ({ last_used_time: eb.ref('used.column2') }))
    .whereRef('id', '=', 'used.column1')
    .where((eb) =>
      eb.or([eb('last_used_time', 'is', null), eb('last_used_time', '<', eb.ref('used.column2'))]),
    )
    .execute();
}
