import type { Database, Executor, UsageCountRow } from '../../storage/schema.ts';

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
 * Returns the ids that a request counts for: a client or a customer itself, and for a client secret
 * or a customer's API key also its owner. Other ids are not in the map.
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
    .select(['id', 'client_id', 'customer_id'])
    .where('id', 'in', ids)
    .execute();
  const subjects = new Map(owners.map(({ id }) => [id, [id]]));
  for (const { id, client_id, customer_id } of credentials) {
    const owner = client_id ?? customer_id;
    if (owner !== null) subjects.set(id, [id, owner]);
  }
  return subjects;
}
