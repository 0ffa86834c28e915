import type { List } from '../../storage/queries/list.ts';
import { hasRow } from '../../storage/queries/row-counts.ts';
import type { SearchTable } from '../../storage/queries/search.ts';
import { limitRows } from '../../storage/queries/table-limits.ts';
import {
  deleteBy,
  findBy,
  insertInto,
  listFrom,
  lockBy,
  updateBy,
} from '../../storage/queries/table-queries.ts';
import type { Executor, TrustedIssuerRow } from '../../storage/schema/schema.ts';

/** At most 100 rows exist. */
export function findAllIssuers(db: Executor): Promise<TrustedIssuerRow[]> {
  return db.selectFrom('trusted_issuers').selectAll().execute();
}

export const findIssuer = findBy('trusted_issuers', 'id');
export const lockIssuer = lockBy('trusted_issuers', 'id');

export const issuerList = {
  sorts: { create_time: 'number', name: 'text' },
  searches: ['name', 'issuer', 'id'],
} as const satisfies List;

export const issuerSearch: SearchTable = {
  table: 'trusted_issuers',
  idPrefix: 'iss',
  texts: ['name', 'issuer'],
  isSmall: true,
};

export const findIssuers = listFrom('trusted_issuers', issuerList);

export const requireFewIssuers = limitRows('trusted_issuers', 100, 'trusted_issuers');

export const insertIssuer = insertInto('trusted_issuers');

export type IssuerChange = Partial<
  Omit<TrustedIssuerRow, 'id' | 'issuer' | 'create_time' | 'creator_id'>
>;

export const updateIssuer = updateBy('trusted_issuers', 'id');
export const deleteIssuer = deleteBy('trusted_issuers', 'id');

/** Returns the scopes of each client with a federated identity of the issuer, space-separated. */
export async function findScopesOfClients(trx: Executor, issuerId: string): Promise<string[]> {
  const rows = await trx
    .selectFrom('federated_identities')
    .innerJoin('clients', 'clients.id', 'client_id')
    .select('scopes')
    .distinct()
    .where('issuer_id', '=', issuerId)
    .execute();
  return rows.map(({ scopes }) => scopes);
}

export function isIssuerUsed(trx: Executor, issuerId: string): Promise<boolean> {
  return hasRow(trx.selectFrom('federated_identities').where('issuer_id', '=', issuerId));
}

export type LockTrustedIssuer = (trx: Executor, id: string) => Promise<boolean>;

/** Returns whether the issuer exists. It is not deleted before the transaction ends. */
export const lockTrustedIssuer: LockTrustedIssuer = async (trx, id) =>
  (await lockIssuer(trx, id)) !== undefined;

/**
 * Records an attempt to read the keys of an issuer, and returns the issuer. Returns undefined if
 * its keys are pinned, it is disabled, or another attempt began at `after` or later.
 */
export function claimAttempt(
  db: Executor,
  id: string,
  time: number,
  after: number,
): Promise<TrustedIssuerRow | undefined> {
  return db
    .updateTable('trusted_issuers')
    .set({ attempt_time: time })
    .where('id', '=', id)
    .where('enabled', '=', 1)
    .where('jwks', 'is', null)
    .where(({ eb, or }) =>
      or([
        eb('attempt_time', 'is', null),
        eb('attempt_time', '<', after),
        // The clock was set back.
        eb('attempt_time', '>', time),
      ]),
    )
    .returningAll()
    .executeTakeFirst();
}
