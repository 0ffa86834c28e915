import type { JsonObject } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import {
  type TrustedIssuerService,
  UpdateTrustedIssuerRequestSchema,
} from '../../../gen/latchkey/identity/v1/trusted_issuer_pb.js';
import { requireHeldScopes } from '../../api/access/privilege.ts';
import { isManagementScope, parseStoredScopes } from '../../api/access/scopes.ts';
import {
  createdColumns,
  externalIdChange,
  requireEtag,
  resourceFields,
  touched,
} from '../../api/etag.ts';
import { printableName } from '../../api/fields.ts';
import { principalId, principalOf } from '../../api/principal.ts';
import { readUpdate, type UpdateFields } from '../../api/update-mask.ts';
import type { ManagementOptions } from '../../audit/audit-log.ts';
import { nameCreator } from '../../audit/names/creators.ts';
import { isId, newId } from '../../base/crypto/ids.ts';
import { fail, invalid, requireFound } from '../../base/errors/errors.ts';
import { refuseExternalId } from '../../storage/duplicates.ts';
import { parseListRequest } from '../../storage/queries/list-request.ts';
import type { Executor, TrustedIssuerRow } from '../../storage/schema/schema.ts';
import {
  deleteIssuer,
  findIssuer,
  findIssuers,
  findScopesOfClients,
  type IssuerChange,
  insertIssuer,
  isIssuerUsed,
  issuerList,
  lockIssuer,
  requireFewIssuers,
  updateIssuer,
} from './store.ts';

export type TrustedIssuerOptions = ManagementOptions & {
  /** Returns the accepted keys in the stored form. Throws `invalid_argument` without any. */
  readonly pinnedKeys: (jwks: JsonObject) => string;
  readonly readSoon: (issuerId: string) => void;
  readonly isEgressUrl: (url: string) => boolean;
  readonly publicUrl: string;
};

const noun = 'trusted issuer';

export function createTrustedIssuerService(
  options: TrustedIssuerOptions,
): ServiceImpl<typeof TrustedIssuerService> {
  const { db, auditLog, pinnedKeys, readSoon, isEgressUrl, publicUrl, random, now } = options;

  function storedUrl(url: string): string | null {
    if (url === '') return null;
    if (/^[!-~]+$/.test(url) && isEgressUrl(url)) return url;
    throw invalid('jwks_uri', 'must be an https URL without a user and a fragment');
  }

  const isDiscoverable = (issuer: string) => !issuer.includes('?') && isEgressUrl(issuer);

  const updateFields: UpdateFields<typeof UpdateTrustedIssuerRequestSchema, IssuerChange> = {
    name: ({ name }) => ({ name: printableName(name) }),
    jwks_uri: ({ jwksUri }) => ({ jwks_uri: storedUrl(jwksUri) }),
    jwks: ({ jwks }) => ({ jwks: jwks === undefined ? null : pinnedKeys(jwks) }),
    audience: ({ audience }) => ({ audience: printableAscii('audience', audience) }),
    enabled: ({ enabled = true }) => ({ enabled: enabled ? 1 : 0 }),
    external_id: externalIdChange,
  };

  function requireUsable(row: TrustedIssuerRow): void {
    const { issuer } = row;
    // With itself as an issuer, tokens of the service would authenticate clients.
    if (issuer === publicUrl) throw invalid('issuer', 'must not be this service');
    if (isId('cli', issuer)) throw invalid('issuer', 'must not be the id of a client');
    if (row.jwks !== null && row.jwks_uri !== null) {
      throw invalid('jwks_uri', 'must be unset if jwks is set');
    }
    if (row.jwks === null && row.jwks_uri === null && !isDiscoverable(issuer)) {
      throw invalid('issuer', 'must be an https URL without a query, or set jwks_uri or jwks');
    }
  }

  return {
    async createTrustedIssuer(request, context) {
      const { issuer, jwks, enabled = true } = request;
      const row: TrustedIssuerRow = {
        id: newId('iss', random),
        name: printableName(request.name),
        issuer,
        jwks_uri: storedUrl(request.jwksUri),
        jwks: jwks === undefined ? null : pinnedKeys(jwks),
        audience: printableAscii('audience', request.audience),
        enabled: enabled ? 1 : 0,
        ...createdColumns(request, now()),
        creator_id: principalId(principalOf(context)),
        ...unread,
      };
      requireUsable(row);
      const created = await auditLog.create(context, { target: row.id }, async (trx) => {
        await requireFewIssuers(trx);
        await insertIssuer(trx, row).catch(refuseExternalId);
        return { trustedIssuer: issuerMessage(row) };
      });
      readSoon(row.id);
      return created;
    },

    async getTrustedIssuer({ issuerId }, context) {
      const row = requireFound(await findIssuer(db, issuerId), noun);
      return { trustedIssuer: await nameCreator(db, context, issuerMessage(row)) };
    },

    async listTrustedIssuers(request, { signal }) {
      const query = parseListRequest(request, issuerList.sorts, signal);
      const { rows, ...page } = await findIssuers(db, query, request);
      return { trustedIssuers: rows.map(issuerMessage), ...page };
    },

    async updateTrustedIssuer(request, context) {
      const { issuerId } = request;
      const update = readUpdate(UpdateTrustedIssuerRequestSchema, request, updateFields);
      const row = await auditLog.change(context, { target: issuerId }, async (trx) => {
        const before = requireFound(await lockIssuer(trx, issuerId), noun);
        requireEtag(context, request, stableOf(before));
        const change = changeOf(before, update.change, now());
        const after = { ...before, ...change };
        requireUsable(after);
        if (update.paths.some((path) => path !== 'name')) {
          await requireScopesOfClients(trx, context, issuerId);
        }
        await updateIssuer(trx, issuerId, change).catch(refuseExternalId);
        return after;
      });
      if (row.attempt_time === null) readSoon(issuerId);
      return { trustedIssuer: issuerMessage(row) };
    },

    async deleteTrustedIssuer({ issuerId }, context) {
      await auditLog.change(context, { target: issuerId }, async (trx) => {
        requireEtag(context, {}, stableOf(requireFound(await lockIssuer(trx, issuerId), noun)));
        if (await isIssuerUsed(trx, issuerId)) {
          throw fail('conflict', 'A client has a federated identity of the trusted issuer.');
        }
        await deleteIssuer(trx, issuerId);
      });
      return {};
    },
  };
}

/** No keys were read yet. */
const unread = { read_jwks: null, read_time: null, attempt_time: null, attempt_error: '' } as const;

/** A new source of the keys replaces the other one, and the keys that were read from it. */
function changeOf(before: TrustedIssuerRow, change: IssuerChange, time: number): IssuerChange {
  if (change.jwks === undefined && change.jwks_uri === undefined) {
    return { ...change, ...touched(before, change, time) };
  }
  const replaced = change.jwks_uri ? { jwks: null } : { jwks_uri: null };
  const changed = { ...replaced, ...change };
  return { ...changed, ...touched(before, changed, time), ...unread };
}

/** Without the columns that change when the keys are read. */
function stableOf(row: TrustedIssuerRow) {
  const { read_jwks, read_time, attempt_time, attempt_error, ...stable } = row;
  return stable;
}

/**
 * Checks that the caller holds the management scopes of the issuer's clients. Without it, a caller
 * with only trusted_issuers:write could pin another key and act as these clients.
 */
async function requireScopesOfClients(
  trx: Executor,
  context: HandlerContext,
  issuerId: string,
): Promise<void> {
  const stored = await findScopesOfClients(trx, issuerId);
  const scopes = new Set(stored.flatMap((one) => [...parseStoredScopes(one)]));
  await requireHeldScopes(trx, context, [...scopes].filter(isManagementScope), {
    target: issuerId,
  });
}

function printableAscii(field: string, text: string): string {
  if (/^[!-~]*$/.test(text)) return text;
  throw invalid(field, 'must contain printable ASCII characters without spaces');
}

function issuerMessage(row: TrustedIssuerRow) {
  const { keys } = JSON.parse(row.jwks ?? row.read_jwks ?? '{"keys":[]}') as {
    keys: readonly { readonly kid?: string }[];
  };
  return {
    id: row.id,
    name: row.name,
    issuer: row.issuer,
    jwksUri: row.jwks_uri ?? '',
    ...(row.jwks === null ? {} : { jwks: JSON.parse(row.jwks) as JsonObject }),
    audience: row.audience,
    enabled: row.enabled === 1,
    creator: row.creator_id ?? '',
    ...resourceFields(stableOf(row)),
    keyIds: keys.flatMap(({ kid }) => (kid === undefined ? [] : [kid])),
    ...(row.read_time === null ? {} : { refreshTime: timestampFromMs(row.read_time) }),
    refreshError: row.attempt_error,
  };
}
