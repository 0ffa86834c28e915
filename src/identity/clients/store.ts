import { sql } from 'kysely';
import type { AccessOwner, AccessSource } from '../../api/access/access-source.ts';
import { isManagementScope, parseStoredScopes } from '../../api/access/scopes.ts';
import { createdBy, createdCredentials, isLiveAt } from '../../credentials/store.ts';
import { type List, type ListPage, readList } from '../../storage/queries/list.ts';
import type { ListQuery } from '../../storage/queries/list-request.ts';
import { readNewest } from '../../storage/queries/newest-rows.ts';
import type { SearchTable } from '../../storage/queries/search.ts';
import {
  deleteBy,
  findBy,
  insertInto,
  listFrom,
  lockBy,
  updateBy,
} from '../../storage/queries/table-queries.ts';
import type {
  ClientKeyRow,
  ClientRow,
  Database,
  Executor,
  FederatedIdentityRow,
} from '../../storage/schema/schema.ts';
import { ownedRows, type Purge } from '../../storage/upkeep/purge.ts';

export const insertClient = insertInto('clients');

export async function findClientIds(db: Executor, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.selectFrom('clients').select('id').where('id', 'in', ids).execute();
  return new Set(rows.map(({ id }) => id));
}

export const findClient = findBy('clients', 'id');
export const lockClient = lockBy('clients', 'id');

export const clientList = {
  sorts: { create_time: 'number', name: 'text' },
  searches: ['name', 'id'],
} as const satisfies List;

export const clientSearch: SearchTable = {
  table: 'clients',
  idPrefix: 'cli',
  hasForeignIds: true,
  texts: ['name'],
  where: () => sql`delete_time is null`,
};

export const findClients = listFrom('clients', clientList, { hidesDeleted: true });

export type ClientChange = Partial<Omit<ClientRow, 'id' | 'create_time' | 'creator_id'>>;

export const updateClient = updateBy('clients', 'id');

export type CertificateNames = {
  readonly uris: readonly string[];
  readonly dnsNames: readonly string[];
};

/** More names than this are not looked up. */
const namesMax = 100;

function findClientsByNames(
  db: Executor,
  { uris, dnsNames }: CertificateNames,
): Promise<ClientRow[]> {
  return db
    .selectFrom('clients')
    .selectAll()
    .where(({ eb, or }) =>
      or([
        ...uris.slice(0, namesMax).map((uri) => eb('tls_client_auth_san_uri', '=', uri)),
        ...dnsNames.slice(0, namesMax).map((name) => eb('tls_client_auth_san_dns', '=', name)),
      ]),
    )
    .execute();
}

export const clientLookups = (db: Database) => ({
  findClient: (id: string) => findClient(db, id),
  findClientsByNames: (names: CertificateNames) => findClientsByNames(db, names),
});

export const insertClientKey = insertInto('client_keys');

export const clientKeyList = {
  sorts: { create_time: 'number', name: 'text' },
  searches: ['name', 'id'],
} as const satisfies List;

export function findClientKeys(
  db: Executor,
  clientId: string,
  query: ListQuery,
): Promise<ListPage<ClientKeyRow>> {
  const owned = db.selectFrom('client_keys').selectAll().where('client_id', '=', clientId);
  return readList(db, owned, clientKeyList, query);
}

/** Returns the keys that are neither revoked nor expired at `time`. */
export function findLiveClientKeys(
  db: Executor,
  clientId: string,
  time: number,
): Promise<ClientKeyRow[]> {
  return db
    .selectFrom('client_keys')
    .selectAll()
    .where('client_id', '=', clientId)
    .where(isLiveAt(time))
    .execute();
}

/** Returns whether the client has the key. A revoked key keeps its time. */
export async function revokeClientKey(
  trx: Executor,
  clientId: string,
  id: string,
  time: number,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('client_keys')
    .set(({ fn, val }) => ({ revoke_time: fn.coalesce('revoke_time', val(time)) }))
    .where('client_id', '=', clientId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export const insertFederatedIdentity = insertInto('federated_identities');

export const federatedIdentityList = {
  sorts: { create_time: 'number', subject: 'text' },
  searches: ['subject', 'id'],
} as const satisfies List;

const selectIdentities = (db: Executor, clientId: string) =>
  db.selectFrom('federated_identities').selectAll().where('client_id', '=', clientId);

export function findFederatedIdentities(
  db: Executor,
  clientId: string,
  query: ListQuery,
): Promise<ListPage<FederatedIdentityRow>> {
  return readList(db, selectIdentities(db, clientId), federatedIdentityList, query);
}

export const clientKeySearch: SearchTable = {
  table: 'client_keys',
  idPrefix: 'jwk',
  texts: ['name', 'thumbprint'],
};

export const federatedIdentitySearch: SearchTable = {
  table: 'federated_identities',
  idPrefix: 'fed',
  texts: ['subject'],
};

/** The oldest is first. A client has at most 20. */
export function findIdentitiesOfClient(
  db: Executor,
  clientId: string,
): Promise<FederatedIdentityRow[]> {
  return selectIdentities(db, clientId).orderBy('create_time').orderBy('id').execute();
}

export const deleteFederatedIdentity = deleteBy('federated_identities', 'client_id', 'id');

const createdKeys = (db: Executor, creatorId: string, time: number) =>
  db.selectFrom('client_keys').where('creator_id', '=', creatorId).where(isLiveAt(time));

const createdIdentities = (db: Executor, creatorId: string) =>
  db.selectFrom('federated_identities').where('creator_id', '=', creatorId);

/** Returns the clients that have a live credential that the user created. */
function findClientsWithCredentials(
  db: Executor,
  { id }: AccessOwner,
  time: number,
): Promise<Pick<ClientRow, 'scopes' | 'token_seconds'>[]> {
  return db
    .selectFrom('clients')
    .select(['scopes', 'token_seconds'])
    .distinct()
    .where(({ eb, or }) =>
      or([
        eb(
          'id',
          'in',
          createdBy(db, 'cs', id, time).select('client_id').$castTo<{ client_id: string }>(),
        ),
        eb('id', 'in', createdKeys(db, id, time).select('client_id')),
        eb('id', 'in', createdIdentities(db, id).select('client_id')),
      ]),
    )
    .execute();
}

/** Returns the longest lifetime of a token that a client gets with such a credential, or 0. */
export async function findTokenSeconds(
  db: Executor,
  user: AccessOwner,
  { time, standard }: { readonly time: number; readonly standard: number },
): Promise<number> {
  const clients = await findClientsWithCredentials(db, user, time);
  return Math.max(0, ...clients.map((client) => client.token_seconds ?? standard));
}

async function scopesToEnd(trx: Executor, user: AccessOwner, time: number): Promise<string[]> {
  const clients = await findClientsWithCredentials(trx, user, time);
  const scopes = clients.flatMap((client) => [...parseStoredScopes(client.scopes)]);
  return ['clients:write', ...scopes.filter(isManagementScope)];
}

export const clientAccess = {
  clientSecrets: { ...createdCredentials('cs'), scopesToEnd },
  clientKeys: {
    find: (db, { id }, time) =>
      readNewest(db, createdKeys(db, id, time).select(['id', 'create_time', 'expire_time'])),
    end: (trx, { id }, time) =>
      trx
        .updateTable('client_keys')
        .set({ revoke_time: time })
        .where('id', 'in', createdKeys(trx, id, time).select('id'))
        .execute(),
    scopesToEnd,
  },
  federatedIdentities: {
    find: (db, { id }) => readNewest(db, createdIdentities(db, id).select(['id', 'create_time'])),
    end: (trx, { id }) =>
      trx.deleteFrom('federated_identities').where('creator_id', '=', id).execute(),
    scopesToEnd,
  },
} satisfies Readonly<Record<string, AccessSource>>;

export const clientPurge: Purge = {
  table: 'clients',
  steps: [
    ownedRows('credentials', 'client_id', 'id'),
    ownedRows('client_keys', 'client_id', 'id'),
    ownedRows('federated_identities', 'client_id', 'id'),
  ],
};
