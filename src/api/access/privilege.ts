// Prevents privilege escalation. To grant a scope, or to change a user who has it, the caller must
// hold it. Otherwise the scope for managing users would include all others.
import type { HandlerContext } from '@connectrpc/connect';
import { bearerChallenge } from '../../base/errors/challenge.ts';
import { fail } from '../../base/errors/errors.ts';
import { lockRow } from '../../storage/queries/row-locks.ts';
import type { Executor } from '../../storage/schema/schema.ts';
import { type Caller, callerOf, isUser, principalOf } from '../principal.ts';
import { parseStoredScopes } from './scopes.ts';

export type HeldScopesOptions = {
  readonly workspaceId?: string;
  readonly target?: string;
};

/** Throws `forbidden` with the missing scopes. Locks the caller until the transaction ends. */
export async function requireHeldScopes(
  trx: Executor,
  context: HandlerContext,
  scopes: Iterable<string>,
  { workspaceId = '', target = '' }: HeldScopesOptions = {},
): Promise<void> {
  const caller = callerOf(context);
  const { principal } = caller;
  const own = caller.method.access.scope;
  const claimed = principal.type === 'anonymous' ? new Set<string>() : principal.scopes;
  // Users who change themselves may lack the scope of the method.
  const needed = new Set(claimed.has(own) ? [own, ...scopes] : scopes);
  if (needed.size === 0) return;
  const granted = await lockGrants(trx, caller, workspaceId);
  const missing = [...needed].filter((scope) => !claimed.has(scope) || !granted.has(scope));
  if (missing.length === 0) return;
  // RFC 6750 §3: the challenge lists all scopes that the call needs.
  const scope = [...new Set([own, ...missing])].filter((name) => name !== '').join(' ');
  throw fail('forbidden', `The caller must also hold ${missing.join(' ')}.`, {
    target,
    challenge: bearerChallenge('insufficient_scope', { scope }),
  });
}

/**
 * Throws if the calling user was disabled during the call. The method that disables the
 * user therefore finds everything that the user has created.
 */
export async function requireEnabledCaller(trx: Executor, context: HandlerContext): Promise<void> {
  const principal = principalOf(context);
  if (!isUser(principal)) return;
  const user = await lockRow(trx, 'users', 'id', principal.userId);
  if (user === undefined || user.disable_time === null) return;
  throw fail('unauthenticated', 'The user is disabled.', {
    challenge: bearerChallenge('invalid_token'),
  });
}

/** Locks the caller and returns the stored grants; for a member, in one workspace. */
async function lockGrants(
  trx: Executor,
  { principal, membershipsOf }: Caller,
  workspaceId: string,
): Promise<ReadonlySet<string>> {
  switch (principal.type) {
    case 'service':
      return grantsOf(await lockRow(trx, 'clients', 'id', principal.clientId));
    case 'staff':
      return grantsOf(await lockRow(trx, 'users', 'id', principal.userId));
    case 'member': {
      await lockRow(trx, 'users', 'id', principal.userId);
      const memberships = await membershipsOf(principal.userId, trx);
      return memberships.get(workspaceId)?.scopes ?? new Set();
    }
    // These callers manage neither grants nor users.
    case 'anonymous':
    case 'customer':
    case 'workspace_key':
      return new Set();
  }
}

type Grantee = { readonly scopes: string; readonly disable_time: number | null };

function grantsOf(row: Grantee | undefined): ReadonlySet<string> {
  return parseStoredScopes(row === undefined || row.disable_time !== null ? '' : row.scopes);
}
