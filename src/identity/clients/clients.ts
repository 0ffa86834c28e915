// How clients are locked for a change, and how they are shown.
import type { JsonObject } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { HandlerContext } from '@connectrpc/connect';
import { requireHeldScopes } from '../../api/access/privilege.ts';
import { isManagementScope, parseStoredScopes } from '../../api/access/scopes.ts';
import { disableFields, requireNotDeleted } from '../../api/deletion.ts';
import { fail } from '../../base/errors/errors.ts';
import { parseAudienceIds } from '../../credentials/audience-ids.ts';
import { lockRow } from '../../storage/row-locks.ts';
import type { ClientRow, Executor } from '../../storage/schema.ts';

export const noSuchClient = () => fail('not_found', 'The client does not exist.');

export async function lockClient(trx: Executor, id: string): Promise<ClientRow> {
  const row = await lockRow(trx, 'clients', 'id', id);
  if (row === undefined) throw noSuchClient();
  return row;
}

/**
 * Checks that the caller holds the management scopes that a change grants or removes. Without it, a
 * caller with only clients:write could create a client with more permissions and act as it, or
 * disable a client that has more. Other scopes need no check.
 */
export function requireMayChange(
  trx: Executor,
  context: HandlerContext,
  scopes: Iterable<string>,
  target = '',
): Promise<void> {
  return requireHeldScopes(trx, context, [...scopes].filter(isManagementScope), { target });
}

/** A new secret grants the client's scopes. Throws `conflict` if the client is deleted. */
export async function lockToChange(
  trx: Executor,
  context: HandlerContext,
  id: string,
): Promise<ClientRow> {
  const row = await lockToEnd(trx, context, id);
  requireNotDeleted(row, 'client');
  return row;
}

/** Revoking a secret takes the client's scopes away. */
export async function lockToEnd(
  trx: Executor,
  context: HandlerContext,
  id: string,
): Promise<ClientRow> {
  const row = await lockClient(trx, id);
  await requireMayChange(trx, context, parseStoredScopes(row.scopes), id);
  return row;
}

export function clientMessage(row: ClientRow) {
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
    ...disableFields(row),
  };
}
