// Finds the credentials that expire soon, so that they can be replaced in time.
import { sql } from 'kysely';
import type { CredentialKind } from '../../base/crypto/credential-format.ts';
import type { Database } from '../../storage/schema.ts';
import { selectCredentials } from '../store.ts';

/** `key` is the public key of a client. */
type Kind = CredentialKind | 'key';

type EndingCredentials = {
  readonly kind: Kind;
  readonly count: number;
  /** The credential that expires first. */
  readonly first: { readonly id: string; readonly expireTime: number };
};

/** Finds credentials that expire between two times, without those of disabled or deleted owners. */
export async function findEndingCredentials(
  db: Database,
  from: number,
  until: number,
): Promise<EndingCredentials[]> {
  const ending = endingBetween(db, from, until);
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

function endingBetween(db: Database, from: number, until: number) {
  const keys = db
    .selectFrom('client_keys as k')
    .innerJoin('clients as c', 'c.id', 'k.client_id')
    .select(['k.id', 'k.expire_time', sql<Kind>`'key'`.as('kind')])
    .where('k.expire_time', '>', from)
    .where('k.expire_time', '<=', until)
    .where('k.revoke_time', 'is', null)
    .where('c.disable_time', 'is', null);
  const kind = sql<Kind>`case when k.client_id is not null then 'cs'
    when k.customer_id is not null then 'ck' else 'wk' end`;
  return selectCredentials(db)
    .clearSelect()
    .select(['k.id', 'k.expire_time', kind.as('kind')])
    .where('k.expire_time', '>', from)
    .where('k.expire_time', '<=', until)
    .where('k.revoke_time', 'is', null)
    .where('c.disable_time', 'is', null)
    .where('u.disable_time', 'is', null)
    .where('w.delete_time', 'is', null)
    .unionAll(keys);
}
