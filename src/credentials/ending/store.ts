// Finds the credentials that expire soon, so that they can be replaced in time.
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { CredentialKind } from '../../base/crypto/credential-format.ts';
import type { Database } from '../../storage/schema/schema.ts';
import { selectCredentials } from '../store.ts';

/** `key` is the public key of a client. */
type Kind = CredentialKind | 'key';

type EndingCredentials = {
  readonly kind: Kind;
  readonly count: number;
  readonly first: { readonly id: string; readonly expireTime: number };
};

export type EndingCredential = {
  readonly id: string;
  readonly ownerId: string;
  readonly expireTime: number;
};

/** Finds credentials that expire between two times, without those of disabled or deleted owners. */
export async function findEndingCredentials(
  db: Database,
  from: number,
  until: number,
): Promise<EndingCredentials[]> {
  const { credentials, keys } = endingBetween(db, from, until);
  const ending = credentials.unionAll(keys);
  const counts = await db
    .selectFrom(ending.as('ending'))
    .select(({ fn }) => ['kind' as const, fn.countAll<number | string>().as('count')])
    .groupBy('kind')
    .orderBy('kind')
    .execute();
  return Promise.all(
    counts.map(async ({ kind, count }) => {
      const { id, expire_time } = await db
        .selectFrom(ending.as('ending'))
        .select(['id', 'expire_time'])
        .where('kind', '=', kind)
        .orderBy('expire_time')
        .orderBy('id')
        .limit(1)
        .executeTakeFirstOrThrow();
      return { kind, count: Number(count), first: { id, expireTime: expire_time ?? until } };
    }),
  );
}

/** Finds the first of these credentials, by time. Reads an index of the credentials that expire. */
export async function findFirstEnding(
  db: Database,
  { from, until }: { readonly from: number; readonly until: number },
  limit: number,
): Promise<EndingCredential[]> {
  const { credentials, keys } = endingBetween(db, from, until);
  const first = <DB, T extends keyof DB, O>(query: SelectQueryBuilder<DB, T, O>) =>
    query.orderBy(sql`k.expire_time`).orderBy(sql`k.id`).limit(limit).execute();
  const found = (await Promise.all([first(credentials), first(keys)])).flat();
  return found
    .map(({ id, owner_id, expire_time }) => {
      return { id, ownerId: owner_id ?? '', expireTime: expire_time ?? until };
    })
    .sort((a, b) => a.expireTime - b.expireTime)
    .slice(0, limit);
}

function endingBetween(db: Database, from: number, until: number) {
  const keys = db
    .selectFrom('client_keys as k')
    .innerJoin('clients as c', 'c.id', 'k.client_id')
    .select(['k.id', 'k.expire_time', sql<Kind>`'key'`.as('kind')])
    .select(sql<string | null>`k.client_id`.as('owner_id'))
    .where('k.expire_time', '>', from)
    .where('k.expire_time', '<=', until)
    .where('k.revoke_time', 'is', null)
    .where('c.disable_time', 'is', null);
  const kind = sql<Kind>`case when k.client_id is not null then 'cs'
    when k.customer_id is not null then 'ck' else 'wk' end`;
  const owner = sql<string | null>`coalesce(k.client_id, k.customer_id, k.workspace_id)`;
  const credentials = selectCredentials(db)
    .clearSelect()
    .select(['k.id', 'k.expire_time', kind.as('kind'), owner.as('owner_id')])
    .where('k.expire_time', '>', from)
    .where('k.expire_time', '<=', until)
    .where('k.revoke_time', 'is', null)
    .where('c.disable_time', 'is', null)
    .where('u.disable_time', 'is', null)
    .where('w.delete_time', 'is', null)
    .where(sql<boolean>`not ${isReplaced(until)}`);
  return { credentials, keys };
}

/** Whether a later secret of the client, or key of the same name, stays valid after that time. */
function isReplaced(until: number): RawBuilder<boolean> {
  const later = sql`n.create_time > k.create_time and n.revoke_time is null
    and (n.expire_time is null or n.expire_time > ${until})`;
  return sql`(
    exists (select 1 from credentials n where n.client_id = k.client_id and ${later})
    or exists (select 1 from credentials n
      where n.customer_id = k.customer_id and n.name = k.name and ${later})
    or exists (select 1 from credentials n
      where n.workspace_id = k.workspace_id and n.name = k.name and ${later}))`;
}
