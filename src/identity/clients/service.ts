import { Code, type HandlerContext, type ServiceImpl } from '@connectrpc/connect';
import {
  type ClientService,
  type CreateClientRequest,
  UpdateClientRequestSchema,
} from '../../../gen/latchkey/identity/v1/client_pb.js';
import { parseStoredScopes } from '../../api/access/scopes.ts';
import { neverDisabled, requireNotDeleted } from '../../api/deletion.ts';
import { printableName } from '../../api/names.ts';
import { principalId, principalOf } from '../../api/principal.ts';
import { readUpdate, type UpdateFields } from '../../api/update-mask.ts';
import { nameCreator, nameCreators } from '../../audit/names/creators.ts';
import { newId, type Random } from '../../base/crypto/ids.ts';
import { fail, invalid } from '../../base/errors/errors.ts';
import { storedAudienceIds } from '../../credentials/audience-ids.ts';
import {
  type CredentialOwner,
  type Credentials,
  generateCredentialFor,
} from '../../credentials/credentials.ts';
import { isUniqueViolation } from '../../storage/database.ts';
import { parseListRequest } from '../../storage/list-request.ts';
import type { ClientRow, CredentialRow, Database, Executor } from '../../storage/schema.ts';
import type { LockAudiences } from '../audiences/store.ts';
import {
  clientMessage,
  lockClient,
  lockToChange,
  lockToEnd,
  noSuchClient,
  requireMayChange,
} from './clients.ts';
import { type ClientDeletionOptions, createClientDeletionMethods } from './deletion-methods.ts';
import { createFederationMethods, type FederationOptions } from './federation-methods.ts';
import { type ClientKeyOptions, createClientKeyMethods } from './key-methods.ts';
import {
  type ClientChange,
  clientList,
  findClient,
  findClients,
  insertClient,
  updateClient,
} from './store.ts';
import { requireOwnScopes, storedClaims } from './token-fields.ts';

export type ClientOptions = ClientDeletionOptions &
  Pick<ClientKeyOptions, 'checkJwk'> &
  Pick<FederationOptions, 'lockTrustedIssuer'> & {
    readonly db: Database;
    readonly credentials: Credentials;
    readonly lockAudiences: LockAudiences;
    /** Keeps signing keys published until tokens of this lifetime have expired. */
    readonly coverTokenSeconds: (trx: Executor, seconds: number) => Promise<void>;
    readonly random: Random;
  };

export function createClientService(options: ClientOptions): ServiceImpl<typeof ClientService> {
  const { db, auditLog, credentials, lockAudiences, coverTokenSeconds, random, now } = options;

  async function requireClient(id: string): Promise<ClientRow> {
    const row = await findClient(db, id);
    if (row === undefined) throw noSuchClient();
    return row;
  }

  async function setDisabled(context: HandlerContext, id: string, disabled: boolean) {
    return auditLog.change(context, { target: id }, async (trx) => {
      const row = await lockToChange(trx, context, id);
      if ((row.disable_time !== null) === disabled) return row;
      const change = { disable_time: disabled ? now() : null };
      await updateClient(trx, id, change);
      return { ...row, ...change };
    });
  }

  const secretMessage = (row: CredentialRow) => ({
    clientId: row.client_id ?? '',
    ...credentials.describe(row),
  });

  return {
    async createClient(request, context) {
      const scopes = joined(request.scopes);
      const id = newId('cli', random);
      const name = printableName(request.name);
      const names = certificateNamesOf(request);
      const times = { create_time: now(), ...neverDisabled };
      const tokens = {
        audience_ids: storedAudienceIds(request.audienceIds),
        claims: storedClaims(request.claims),
        token_seconds: request.tokenSeconds || null,
        default_scopes: joined(request.defaultScopes) || null,
        may_act: joined(request.mayAct) || null,
        bound_tokens: request.boundTokens ? (1 as const) : null,
        creator_id: principalId(principalOf(context)),
      };
      const row = { id, name, scopes, ...times, ...names, ...tokens };
      requireOneName(row);
      requireOwnScopes(row);
      const made = generateCredentialFor(context, 'cs', random);
      return auditLog.create(context, { target: id }, async (trx) => {
        await requireMayChange(trx, context, parseStoredScopes(scopes));
        await lockAudiences(trx, row.audience_ids);
        if (row.token_seconds !== null) await coverTokenSeconds(trx, row.token_seconds);
        await insertClient(trx, row).catch(refuseDuplicate);
        const fields = { name: '', scopes: '', expireTime: undefined };
        await credentials.create(trx, ownerOf(id), made, fields);
        return { client: clientMessage(row), clientSecret: made.text };
      });
    },

    ...createClientKeyMethods({ ...options, requireClient }),
    ...createFederationMethods({ ...options, requireClient }),
    ...createClientDeletionMethods(options),

    async getClient({ clientId }, context) {
      const client = clientMessage(await requireClient(clientId));
      return { client: await nameCreator(db, context, client) };
    },

    async listClients(request, { signal }) {
      const query = parseListRequest(request, clientList.sorts, signal);
      const { rows, ...page } = await findClients(db, query, request.showDeleted);
      return { clients: rows.map(clientMessage), ...page };
    },

    async updateClient(request, context) {
      const { paths, change } = readUpdate(UpdateClientRequestSchema, request, updateFields);
      const { clientId } = request;
      const row = await auditLog.change(context, { target: clientId }, async (trx) => {
        const before = await lockClient(trx, clientId);
        requireNotDeleted(before, 'client');
        const had = parseStoredScopes(before.scopes);
        const has = parseStoredScopes(change.scopes ?? before.scopes);
        const changed = [...had, ...has].filter((scope) => !had.has(scope) || !has.has(scope));
        // A certificate grants the client's scopes, like a new secret. They count for an audience.
        const grantsAll = paths.some((path) => grantingFields.has(path));
        await requireMayChange(trx, context, grantsAll ? [...had, ...has] : changed, clientId);
        await lockAudiences(trx, change.audience_ids);
        const after = { ...before, ...change };
        requireOneName(after);
        requireOwnScopes(after);
        if (change.token_seconds) await coverTokenSeconds(trx, change.token_seconds);
        if (paths.length > 0) await updateClient(trx, clientId, change).catch(refuseDuplicate);
        return after;
      });
      return { client: clientMessage(row) };
    },

    async disableClient({ clientId }, context) {
      return { client: clientMessage(await setDisabled(context, clientId, true)) };
    },

    async enableClient({ clientId }, context) {
      return { client: clientMessage(await setDisabled(context, clientId, false)) };
    },

    async createClientSecret({ clientId, name, expireTime }, context) {
      const made = generateCredentialFor(context, 'cs', random);
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

/** The fields on which it depends who can use the client's scopes, and where. */
const grantingFields: ReadonlySet<string> = new Set([
  'tls_client_auth_san_uri',
  'tls_client_auth_san_dns',
  'audience_ids',
  'may_act',
]);

/** The fields that an update can change, by their path in the mask. */
const updateFields: UpdateFields<typeof UpdateClientRequestSchema, ClientChange> = {
  name: ({ name }) => {
    if (name === '') throw invalid('name', 'is required');
    return { name: printableName(name) };
  },
  scopes: ({ scopes }) => ({ scopes: joined(scopes) }),
  tls_client_auth_san_uri: ({ tlsClientAuthSanUri: uri }) => ({
    tls_client_auth_san_uri: uri === '' ? null : uri,
  }),
  tls_client_auth_san_dns: ({ tlsClientAuthSanDns: name }) => ({
    tls_client_auth_san_dns: name === '' ? null : name,
  }),
  audience_ids: ({ audienceIds }) => ({ audience_ids: storedAudienceIds(audienceIds) }),
  claims: ({ claims }) => ({ claims: storedClaims(claims) }),
  token_seconds: ({ tokenSeconds }) => ({ token_seconds: tokenSeconds || null }),
  default_scopes: ({ defaultScopes }) => ({ default_scopes: joined(defaultScopes) || null }),
  bound_tokens: ({ boundTokens }) => ({ bound_tokens: boundTokens ? 1 : null }),
  may_act: ({ mayAct }) => ({ may_act: joined(mayAct) || null }),
};

type CertificateNames = Pick<ClientRow, 'tls_client_auth_san_uri' | 'tls_client_auth_san_dns'>;

function certificateNamesOf(request: CreateClientRequest): CertificateNames {
  const { tlsClientAuthSanUri: uri, tlsClientAuthSanDns: name } = request;
  return {
    tls_client_auth_san_uri: uri === '' ? null : uri,
    tls_client_auth_san_dns: name === '' ? null : name,
  };
}

/** A client has one name at most (RFC 8705 §2.1.2). */
function requireOneName(row: CertificateNames): void {
  if (row.tls_client_auth_san_uri === null || row.tls_client_auth_san_dns === null) return;
  throw invalid('tls_client_auth_san_dns', 'must be unset if tls_client_auth_san_uri is set');
}

function refuseDuplicate(error: unknown): never {
  if (!isUniqueViolation(error)) throw error;
  const detail = 'Another client has this name of a certificate.';
  throw fail('conflict', detail, { grpc: Code.AlreadyExists });
}

const joined = (texts: readonly string[]) => [...new Set(texts)].join(' ');
