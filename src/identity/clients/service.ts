import type { ServiceImpl } from '@connectrpc/connect';
import {
  type ClientService,
  UpdateClientRequestSchema,
} from '../../../gen/latchkey/identity/v1/client_pb.js';
import { parseStoredScopes } from '../../api/access/scopes.ts';
import { requireNotDeleted } from '../../api/deletion.ts';
import { requireEtag, touched } from '../../api/etag.ts';
import { principalId, principalOf } from '../../api/principal.ts';
import { readUpdate } from '../../api/update-mask.ts';
import type { ManagementOptions } from '../../audit/audit-log.ts';
import { nameCreator, nameCreators } from '../../audit/names/creators.ts';
import { requireFound } from '../../base/errors/errors.ts';
import {
  type CredentialOwner,
  type Credentials,
  generateCredentialFor,
} from '../../credentials/credentials.ts';
import { parseListRequest } from '../../storage/queries/list-request.ts';
import type { ClientRow, CredentialRow, Executor } from '../../storage/schema/schema.ts';
import type { LockAudiences } from '../audiences/store.ts';
import { lockExistingClient, lockToChange, lockToEnd, requireMayChange } from './clients.ts';
import { createFederationMethods, type FederationOptions } from './federation-methods.ts';
import {
  clientMessage,
  createdFields,
  refuseDuplicate,
  requireOneName,
  updateFields,
} from './fields.ts';
import { clientIdFrom, requireFreeId, requireKnownSubjects, secretFrom } from './imports.ts';
import { type ClientKeyOptions, createClientKeyMethods } from './key-methods.ts';
import { type ClientStateOptions, createClientStateMethods } from './state-methods.ts';
import { clientList, findClient, findClients, insertClient, updateClient } from './store.ts';
import { requireOwnScopes } from './token-fields.ts';

export type ClientOptions = ClientStateOptions &
  ManagementOptions &
  Pick<ClientKeyOptions, 'checkJwk'> &
  Pick<FederationOptions, 'lockTrustedIssuer'> & {
    readonly credentials: Credentials;
    readonly lockAudiences: LockAudiences;
    /** Keeps signing keys published until tokens of this lifetime have expired. */
    readonly coverTokenSeconds: (trx: Executor, seconds: number) => Promise<void>;
  };

export function createClientService(options: ClientOptions): ServiceImpl<typeof ClientService> {
  const { db, auditLog, credentials, lockAudiences, coverTokenSeconds, random, now } = options;

  const requireClient = async (id: string): Promise<ClientRow> =>
    requireFound(await findClient(db, id), 'client');

  const secretMessage = (row: CredentialRow) => ({
    clientId: row.client_id ?? '',
    importPending: row.imported_hash !== null && row.last_used_time === null,
    ...credentials.describe(row),
  });

  return {
    async createClient(request, context) {
      const id = clientIdFrom(context, request.clientId, random);
      const creator_id = principalId(principalOf(context));
      const row = { id, ...createdFields(request, now()), creator_id };
      requireOneName(row);
      requireOwnScopes(row);
      const made = secretFrom(context, request.importedSecret, random);
      return auditLog.create(context, { target: id }, async (trx) => {
        if (id === request.clientId) await requireFreeId(trx, id);
        await requireMayChange(trx, context, parseStoredScopes(row.scopes));
        await lockAudiences(trx, row.audience_ids);
        await requireKnownSubjects(trx, row.may_act);
        if (row.token_seconds !== null) await coverTokenSeconds(trx, row.token_seconds);
        await insertClient(trx, row).catch(refuseDuplicate);
        const fields = { name: '', scopes: '', expireTime: undefined };
        await credentials.create(trx, ownerOf(id), made, fields);
        return { client: clientMessage(row), clientSecret: made.text };
      });
    },

    ...createClientKeyMethods({ ...options, requireClient }),
    ...createFederationMethods({ ...options, requireClient }),
    ...createClientStateMethods(options),

    async getClient({ clientId }, context) {
      const client = clientMessage(await requireClient(clientId));
      return { client: await nameCreator(db, context, client) };
    },

    async listClients(request, { signal }) {
      const query = parseListRequest(request, clientList.sorts, signal);
      const { rows, ...page } = await findClients(db, query, request);
      return { clients: rows.map(clientMessage), ...page };
    },

    async updateClient(request, context) {
      const { paths, change } = readUpdate(UpdateClientRequestSchema, request, updateFields);
      const { clientId } = request;
      const row = await auditLog.change(context, { target: clientId }, async (trx) => {
        const before = await lockExistingClient(trx, clientId);
        requireNotDeleted(before, 'client');
        requireEtag(context, request, before);
        const had = parseStoredScopes(before.scopes);
        const has = parseStoredScopes(change.scopes ?? before.scopes);
        const changed = [...had, ...has].filter((scope) => !had.has(scope) || !has.has(scope));
        // Every other field decides who can use the client's scopes, where, or what tokens prove.
        const grantsAll = paths.some((path) => path !== 'name' && path !== 'scopes');
        await requireMayChange(trx, context, grantsAll ? [...had, ...has] : changed, clientId);
        await lockAudiences(trx, change.audience_ids);
        await requireKnownSubjects(trx, change.may_act);
        const timed = { ...change, ...touched(before, change, now()) };
        const after = { ...before, ...timed };
        requireOneName(after);
        requireOwnScopes(after);
        if (change.token_seconds) await coverTokenSeconds(trx, change.token_seconds);
        await updateClient(trx, clientId, timed).catch(refuseDuplicate);
        return after;
      });
      return { client: clientMessage(row) };
    },

    async createClientSecret({ clientId, name, expireTime, importedSecret }, context) {
      const made = secretFrom(context, importedSecret, random);
      return auditLog.create(context, { target: made.id }, async (trx) => {
        await lockToChange(trx, context, clientId);
        const fields = { name, scopes: '', expireTime };
        const row = await credentials.create(trx, ownerOf(clientId), made, fields);
        return { secret: secretMessage(row), clientSecret: made.text };
      });
    },

    async listClientSecrets(request, context) {
      const owner = ownerOf(request.clientId);
      const { rows, ...page } = await credentials.list(owner, request, context.signal);
      return { secrets: await nameCreators(db, context, rows.map(secretMessage)), ...page };
    },

    async revokeClientSecret({ clientId, secretId }, context) {
      await auditLog.change(context, { target: secretId }, async (trx) => {
        await lockToEnd(trx, context, clientId);
        await credentials.revoke(trx, ownerOf(clientId), secretId);
      });
      return {};
    },

    async rotateClientSecret({ clientId, overlapSeconds, name, expireTime }, context) {
      const made = generateCredentialFor(context, 'cs', random);
      return auditLog.create(context, { target: clientId }, async (trx) => {
        await lockToChange(trx, context, clientId);
        const fields = { name, scopes: '', expireTime };
        const owner = ownerOf(clientId);
        const row = await credentials.rotateAll(trx, owner, made, fields, overlapSeconds);
        return { secret: secretMessage(row), clientSecret: made.text };
      });
    },
  };
}

const ownerOf = (id: string): CredentialOwner => ({ kind: 'cs', id });
