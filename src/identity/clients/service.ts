import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import {
  type ClientService,
  UpdateClientRequestSchema,
} from '../../../gen/latchkey/identity/v1/client_pb.js';
import { newId, type Random } from '../../ids.ts';
import { fail, invalid } from '../../rpc/errors.ts';
import { privilegeOf } from '../../rpc/privilege.ts';
import { readUpdate, type UpdateFields } from '../../rpc/update.ts';
import { pageOf, pageQuery } from '../../storage/page-token.ts';
import type { ClientRow, CredentialRow, Database, Executor } from '../../storage/schema.ts';
import type { Trail } from '../audit/trail.ts';
import type { Credentials, Owner } from '../credentials/credentials.ts';
import { generateCredential } from '../credentials/format.ts';
import { isManagementScope, storedScopes } from '../scopes.ts';
import {
  type ClientChange,
  findClient,
  findClients,
  insertClient,
  lockClient,
  updateClient,
} from './store.ts';

export type ClientOptions = {
  readonly db: Database;
  readonly trail: Trail;
  readonly credentials: Credentials;
  readonly random: Random;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

export function createClientService(options: ClientOptions): ServiceImpl<typeof ClientService> {
  const { db, trail, credentials, random, now } = options;

  function setDisabled(
    context: HandlerContext,
    id: string,
    disabled: boolean,
    check: (row: ClientRow) => void = () => {},
  ) {
    return trail.change(context, { target: id, topic: 'access' }, async (trx) => {
      const row = await locked(trx, id);
      check(row);
      if ((row.disable_time !== null) === disabled) return row;
      const change = { disable_time: disabled ? now() : null };
      await updateClient(trx, id, change);
      return { ...row, ...change };
    });
  }

  /** Finds out whether the caller may make secrets of a client: doing so is granting its scopes. */
  async function secretMakerOf(context: HandlerContext, id: string) {
    const requireMayGrant = await granterOf(context);
    return async (trx: Executor) =>
      requireMayGrant(storedScopes((await locked(trx, id)).scopes), id);
  }

  const secretMessage = (row: CredentialRow) => ({
    clientId: row.client_id ?? '',
    ...credentials.describe(row),
  });

  return {
    async createClient(request, context) {
      const scopes = joined(request.scopes);
      const requireMayGrant = await granterOf(context);
      requireMayGrant(storedScopes(scopes));
      const id = newId('cli', random);
      const row = { id, name: request.name, scopes, create_time: now(), disable_time: null };
      const made = generateCredential('cs', random);
      await trail.change(context, { target: id }, async (trx) => {
        await insertClient(trx, row);
        const fields = { name: '', scopes: '', expireTime: undefined };
        await credentials.create(trx, ownerOf(id), made, fields);
      });
      return { client: clientMessage(row), clientSecret: made.text };
    },

    async getClient({ clientId }) {
      const row = await findClient(db, clientId);
      if (row === undefined) throw noSuchClient();
      return { client: clientMessage(row) };
    },

    async listClients(request) {
      const query = pageQuery(request);
      const { rows, nextPageToken } = pageOf(await findClients(db, query), query);
      return { clients: rows.map(clientMessage), nextPageToken };
    },

    async updateClient(request, context) {
      const { paths, change } = readUpdate(UpdateClientRequestSchema, request, updateFields);
      const { clientId } = request;
      const requireMayGrant = await granterOf(context);
      const target = { target: clientId, ...(paths.includes('scopes') ? access : {}) };
      const row = await trail.change(context, target, async (trx) => {
        const before = await locked(trx, clientId);
        const had = storedScopes(before.scopes);
        const added = [...storedScopes(change.scopes ?? '')].filter((scope) => !had.has(scope));
        requireMayGrant(added, clientId);
        if (paths.length > 0) await updateClient(trx, clientId, change);
        return { ...before, ...change };
      });
      return { client: clientMessage(row) };
    },

    async disableClient({ clientId }, context) {
      return { client: clientMessage(await setDisabled(context, clientId, true)) };
    },

    async enableClient({ clientId }, context) {
      const requireMayGrant = await granterOf(context);
      const row = await setDisabled(context, clientId, false, ({ scopes }) =>
        requireMayGrant(storedScopes(scopes), clientId),
      );
      return { client: clientMessage(row) };
    },

    async createClientSecret({ clientId, name, expireTime }, context) {
      const made = generateCredential('cs', random);
      const requireMayMakeSecret = await secretMakerOf(context, clientId);
      const row = await trail.change(context, { target: made.id }, async (trx) => {
        await requireMayMakeSecret(trx);
        const fields = { name, scopes: '', expireTime };
        return credentials.create(trx, ownerOf(clientId), made, fields);
      });
      return { secret: secretMessage(row), clientSecret: made.text };
    },

    async listClientSecrets(request) {
      const { rows, nextPageToken } = await credentials.list(ownerOf(request.clientId), request);
      return { secrets: rows.map(secretMessage), nextPageToken };
    },

    async revokeClientSecret({ clientId, secretId }, context) {
      await trail.change(context, { target: secretId, ...access }, (trx) =>
        credentials.revoke(trx, ownerOf(clientId), secretId),
      );
      return {};
    },

    async rotateClientSecret({ clientId, overlapSeconds, name, expireTime }, context) {
      const made = generateCredential('cs', random);
      const requireMayMakeSecret = await secretMakerOf(context, clientId);
      const row = await trail.change(context, { target: clientId, ...access }, async (trx) => {
        await requireMayMakeSecret(trx);
        const fields = { name, scopes: '', expireTime };
        return credentials.rotateAll(trx, ownerOf(clientId), made, fields, overlapSeconds);
      });
      return { secret: secretMessage(row), clientSecret: made.text };
    },
  };
}

const access = { topic: 'access' } as const;

/**
 * Who may manage clients could otherwise make one that may do anything, and act as that one. Scopes
 * of areas that are not this service's own are granted freely.
 */
async function granterOf(context: HandlerContext) {
  const requireHeld = await privilegeOf(context);
  return (scopes: Iterable<string>, clientId?: string) =>
    requireHeld([...scopes].filter(isManagementScope), clientId);
}

const ownerOf = (id: string): Owner => ({ kind: 'cs', id });

const noSuchClient = () => fail('not_found', 'There is no such client.');

async function locked(trx: Executor, id: string): Promise<ClientRow> {
  const row = await lockClient(trx, id);
  if (row === undefined) throw noSuchClient();
  return row;
}

/** What an update can change, by its path in the mask. */
const updateFields: UpdateFields<typeof UpdateClientRequestSchema, ClientChange> = {
  name: ({ name }) => {
    if (name === '') throw invalid('name', 'is required');
    return { name };
  },
  scopes: ({ scopes }) => ({ scopes: joined(scopes) }),
};

const joined = (scopes: readonly string[]) => [...new Set(scopes)].join(' ');

function clientMessage(row: ClientRow) {
  return {
    id: row.id,
    name: row.name,
    scopes: [...storedScopes(row.scopes)],
    createTime: timestampFromMs(row.create_time),
    ...(row.disable_time === null ? {} : { disableTime: timestampFromMs(row.disable_time) }),
  };
}
