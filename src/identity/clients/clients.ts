// How clients are locked for a change.
import type { HandlerContext } from '@connectrpc/connect';
import { requireHeldScopes } from '../../api/access/privilege.ts';
import { isManagementScope, parseStoredScopes } from '../../api/access/scopes.ts';
import { requireNotDeleted } from '../../api/deletion.ts';
import { requireFound } from '../../base/errors/errors.ts';
import type { ClientRow, Executor } from '../../storage/schema/schema.ts';
import { lockClient } from './store.ts';

export const lockExistingClient = async (trx: Executor, id: string): Promise<ClientRow> =>
  requireFound(await lockClient(trx, id), 'client');

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
  const row = await lockExistingClient(trx, id);
  await requireMayChange(trx, context, parseStoredScopes(row.scopes), id);
  return row;
}
