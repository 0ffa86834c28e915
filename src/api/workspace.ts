// The workspace that a call acts in.
import { createContextKey, type HandlerContext } from '@connectrpc/connect';
import { fail, invalid } from '../errors/errors.ts';
import { callerOf } from './principal.ts';

const workspaceKey = createContextKey<string>('', { description: 'the workspace of the call' });

/** The workspace that the guard found for the call. */
export function workspaceOf(context: HandlerContext): string {
  const workspace = context.values.get(workspaceKey);
  if (workspace === '') throw new Error('the method is not marked as acting within a workspace');
  return workspace;
}

export function setWorkspace(context: HandlerContext, workspaceId: string): void {
  context.values.set(workspaceKey, workspaceId);
}

/**
 * The workspace that a call acts in: the credential's own, else the one that the request names.
 * A caller of a streaming method learns it from the messages, so its handler calls this itself.
 */
export async function resolveWorkspace(context: HandlerContext, named: string): Promise<string> {
  const { principal } = callerOf(context);
  switch (principal.type) {
    case 'workspace_key':
      if (named !== '' && named !== principal.workspaceId) {
        throw fail('forbidden', 'The key belongs to another workspace.');
      }
      return principal.workspaceId;
    case 'service':
    case 'staff':
      if (named === '') {
        throw invalid('workspace_id', 'is required, as the caller is not bound to a workspace');
      }
      return named;
    case 'member':
      return memberWorkspace(context, principal.userId, named);
    case 'customer':
    case 'anonymous':
      throw fail('forbidden', 'The caller has no workspace.');
  }
}

/** A member of a single workspace need not name it. */
async function memberWorkspace(
  context: HandlerContext,
  userId: string,
  named: string,
): Promise<string> {
  const { method, membershipsOf } = callerOf(context);
  const memberships = await membershipsOf(userId);
  if (named === '' && memberships.size > 1) {
    throw invalid('workspace_id', 'is required, as the user is a member of several workspaces');
  }
  const [only = ''] = memberships.keys();
  const workspaceId = named === '' ? only : named;
  const scopes = memberships.get(workspaceId);
  if (scopes === undefined) throw fail('forbidden', 'The user is not a member of the workspace.');
  const { scope } = method.access;
  if (!scopes.has(scope)) {
    throw fail('forbidden', `The user's role in the workspace does not include ${scope}.`);
  }
  return workspaceId;
}
