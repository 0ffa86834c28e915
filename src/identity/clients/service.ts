import type { JsonObject } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { Code, type HandlerContext, type ServiceImpl } from '@connectrpc/connect';
import {
  type ClientService,
  type CreateClientRequest,
  UpdateClientRequestSchema,
} from '../../../gen/latchkey/identity/v1/client_pb.js';
import { requireHeldScopes } from '../../api/access/privilege.ts';
import { isManagementScope, parseStoredScopes } from '../../api/access/scopes.ts';
import { printableName } from '../../api/names.ts';
import { principalId, principalOf } from '../../api/principal.ts';
import { readUpdate, type UpdateFields } from '../../api/update-mask.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { nameCreator, nameCreators } from '../../audit/names/creators.ts';
import type { Clock } from '../../base/clock.ts';
import { newId, type Random } from '../../base/crypto/ids.ts';
import { fail, invalid } from '../../base/errors/errors.ts';
import { parseAudienceIds, storedAudienceIds } from '../../credentials/audience-ids.ts';
import {
  type CredentialOwner,
  type Credentials,
  generateCredentialFor,
} from '../../credentials/credentials.ts';
import { isUniqueViolation } from '../../storage/database.ts';
import { parseListRequest } from '../../storage/list-request.ts';
import { lockRow } from '../../storage/row-locks.ts';
import type { ClientRow, CredentialRow, Database, Executor } from '../../storage/schema.ts';
import type { LockAudiences } from '../audiences/store.ts';
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

export type ClientOptions = Pick<ClientKeyOptions, 'checkJwk'> &
  Pick<FederationOptions, 'lockTrustedIssuer'> & {
    readonly db: Database;
    readonly auditLog: AuditLog;
    readonly credentials: Credentials;
    readonly lockAudiences: LockAudiences;
    /** Keeps signing keys published until tokens of this lifetime have expired. */
    readonly coverTokenSeconds: (trx: Executor, seconds: number) => Promise<void>;
    readonly random: Random;
    readonly now: Clock;
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
      const times = { create_time: now(), disable_time: null };
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

    ...createClientKeyMethods({ ...options, requireClient, lockToChange }),
    ...createFederationMethods({ ...options, requireClient, lockToChange }),

    async getClient({ clientId }, context) {
      const client = clientMessage(await requireClient(clientId));
      return { client: await nameCreator(db, context, client) };
    },

    async listClients(request, { signal }) {
      const query = parseListRequest(request, clientList.sorts, signal);
      const { rows, ...page } = await findClients(db, query);
      return { clients: rows.map(clientMessage), ...page };
    },

    async updateClient(request, context) {
      const { paths, change } = readUpdate(UpdateClientRequestSchema, request, updateFields);
      const { clientId } = request;
      const row = await auditLog.change(context, { target: clientId }, async (trx) => {
        const before = await locked(trx, clientId);
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
        await lockToChange(trx, context, clientId);
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

/**
 * Checks that the caller holds the management scopes that a change grants or removes. Without it, a
 * caller with only clients:write could create a client with more permissions and act as it, or
 * disable a client that has more. Other scopes need no check.
 */
function requireMayChange(
  trx: Executor,
  context: HandlerContext,
  scopes: Iterable<string>,
  target = '',
): Promise<void> {
  return requireHeldScopes(trx, context, [...scopes].filter(isManagementScope), { target });
}

/** A new secret grants the client's scopes; revoking one takes them away. */
async function lockToChange(
  trx: Executor,
  context: HandlerContext,
  id: string,
): Promise<ClientRow> {
  const row = await locked(trx, id);
  await requireMayChange(trx, context, parseStoredScopes(row.scopes), id);
  return row;
}

const ownerOf = (id: string): CredentialOwner => ({ kind: 'cs', id });

const noSuchClient = () => fail('not_found', 'The client does not exist.');

async function locked(trx: Executor, id: string): Promise<ClientRow> {
  const row = await lockRow(trx, 'clients', 'id', id);
  if (row === undefined) throw noSuchClient();
  return row;
}

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

function clientMessage(row: ClientRow) {
  return {
    id: row.id,
    name: row.name,
    scopes: [...parseStoredScopes(row.scopes)],
    createTime: timestampFromMs(row.create_time),
    creator: row.creator_id ?? '',
    tlsClientAuthSanUri: row.tls_client_auth_san_uri ?? '',
    tlsClientAuthSanDns: row.tls_client_auth_san_dns ?? '',
    audienceIds: [...parseAudienceIds(row.audience_ids)],
    ...(row.claims === null ? {} : { claims: JSON.parse(row.claims) as JsonObject }),
    tokenSeconds: row.token_seconds ?? 0,
    defaultScopes: [...parseStoredScopes(row.default_scopes ?? '')],
    mayAct: [...parseStoredScopes(row.may_act ?? '')],
    boundTokens: row.bound_tokens === 1,
    ...(row.disable_time === null ? {} : { disableTime: timestampFromMs(row.disable_time) }),
  };
}
