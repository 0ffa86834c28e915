// The fields of a client: of its row, of requests and of answers.
import type { JsonObject } from '@bufbuild/protobuf';
import type {
  CreateClientRequest,
  UpdateClientRequestSchema,
} from '../../../gen/latchkey/identity/v1/client_pb.js';
import { parseStoredScopes } from '../../api/access/scopes.ts';
import { disableFields, neverDisabled } from '../../api/deletion.ts';
import { createdColumns, externalIdChange, resourceFields } from '../../api/etag.ts';
import { printableName, requiredName } from '../../api/fields.ts';
import type { UpdateFields } from '../../api/update-mask.ts';
import { invalid } from '../../base/errors/errors.ts';
import { parseAudienceIds, storedAudienceIds } from '../../credentials/token-settings.ts';
import { refuseDuplicateWith } from '../../storage/duplicates.ts';
import type { ClientRow } from '../../storage/schema/schema.ts';
import type { ClientChange } from './store.ts';
import { storedClaims } from './token-fields.ts';

/** The row of a new client, except for its id and its creator. */
export function createdFields(request: CreateClientRequest, time: number) {
  return {
    ...{ name: printableName(request.name), scopes: joined(request.scopes), ...neverDisabled },
    tls_client_auth_san_uri: request.tlsClientAuthSanUri || null,
    tls_client_auth_san_dns: request.tlsClientAuthSanDns || null,
    ...createdColumns(request, time),
    audience_ids: storedAudienceIds(request.audienceIds),
    claims: storedClaims(request.claims),
    token_seconds: request.tokenSeconds || null,
    default_scopes: joined(request.defaultScopes) || null,
    may_act: joined(request.mayAct) || null,
    bound_tokens: request.boundTokens ? (1 as const) : null,
  };
}

export const updateFields: UpdateFields<typeof UpdateClientRequestSchema, ClientChange> = {
  name: ({ name }) => ({ name: requiredName(name) }),
  scopes: ({ scopes }) => ({ scopes: joined(scopes) }),
  tls_client_auth_san_uri: ({ tlsClientAuthSanUri: uri }) => ({
    tls_client_auth_san_uri: uri || null,
  }),
  tls_client_auth_san_dns: ({ tlsClientAuthSanDns: name }) => ({
    tls_client_auth_san_dns: name || null,
  }),
  audience_ids: ({ audienceIds }) => ({ audience_ids: storedAudienceIds(audienceIds) }),
  claims: ({ claims }) => ({ claims: storedClaims(claims) }),
  token_seconds: ({ tokenSeconds }) => ({ token_seconds: tokenSeconds || null }),
  default_scopes: ({ defaultScopes }) => ({ default_scopes: joined(defaultScopes) || null }),
  bound_tokens: ({ boundTokens }) => ({ bound_tokens: boundTokens ? 1 : null }),
  may_act: ({ mayAct }) => ({ may_act: joined(mayAct) || null }),
  external_id: externalIdChange,
};

type CertificateNames = Pick<ClientRow, 'tls_client_auth_san_uri' | 'tls_client_auth_san_dns'>;

/** A client has one name at most (RFC 8705 §2.1.2). */
export function requireOneName(row: CertificateNames): void {
  if (row.tls_client_auth_san_uri === null || row.tls_client_auth_san_dns === null) return;
  throw invalid('tls_client_auth_san_dns', 'must be unset if tls_client_auth_san_uri is set');
}

export const refuseDuplicate = refuseDuplicateWith(
  'Another client has this name of a certificate.',
);

const joined = (texts: readonly string[]) => [...new Set(texts)].join(' ');

export function clientMessage(row: ClientRow) {
  return {
    id: row.id,
    name: row.name,
    scopes: [...parseStoredScopes(row.scopes)],
    ...resourceFields(row),
    creator: row.creator_id ?? '',
    tlsClientAuthSanUri: row.tls_client_auth_san_uri ?? '',
    tlsClientAuthSanDns: row.tls_client_auth_san_dns ?? '',
    audienceIds: [...parseAudienceIds(row.audience_ids)],
    ...(row.claims === null ? {} : { claims: JSON.parse(row.claims) as JsonObject }),
    tokenSeconds: row.token_seconds ?? 0,
    defaultScopes: [...parseStoredScopes(row.default_scopes ?? '')],
    mayAct: [...parseStoredScopes(row.may_act ?? '')],
    boundTokens: row.bound_tokens === 1,
    ...disableFields(row),
  };
}
