// The workspace of a call.
import { createContextKey, type HandlerContext } from '@connectrpc/connect';
import { fail, invalid } from '../base/errors/errors.ts';
import { callerOf, type Membership } from './principal.ts';

const workspaceKey = createContextKey<string>('', { description: 'the workspace of the call' });

export function workspaceOf(context: HandlerContext): string {
  const workspace = context.values.get(workspaceKey);
  if (workspace === '') throw new Error('the method is not marked as acting within a workspace');
  return workspace;
}

/** Returns an empty text for a method that does not act within a workspace. */
export function workspaceIfAny(context: HandlerContext): string {
  return context.values.get(workspaceKey);
}

export function setWorkspace(context: HandlerContext, workspaceId: string): void {
  context.values.set(workspaceKey, workspaceId);
}

/** Handlers of streaming methods call this themselves: the messages contain the workspace. */
export async function resolveWorkspace(context: HandlerContext, named: string): Promise<string> {
  const { principal } = callerOf(context);
  switch (principal.type) {
    case 'workspace_key':
      if (named !== '' && named !== principal.workspaceId) {
        throw fail('forbidden', 'The API key belongs to another workspace.');
      }
      return principal.workspaceId;
    case 'service':
    case 'staff':
      if (named === '') {
        throw invalid('workspace_id', 'is required for callers that are not bound to a workspace');
      }
      if (await isClosed(context, named)) throw workspaceDeleted(named);
      return named;
    case 'member':
      return memberWorkspace(context, principal.userId, named);
    case 'customer':
    case 'anonymous':
      throw fail('forbidden', 'The caller cannot access workspaces.');
  }
}

/** Whether the workspace is deleted and the method does not accept this. */
async function isClosed(context: HandlerContext, workspaceId: string): Promise<boolean> {
  const { method, isWorkspaceDeleted } = callerOf(context);
  return !method.access.deletedWorkspace && (await isWorkspaceDeleted(workspaceId));
}

const workspaceDeleted = (target: string) =>
  fail('not_found', 'The workspace is deleted. Undelete it first.', { target });

/** For handlers, after slow work and before the result is stored. */
export async function repeatAccessCheck(
  context: HandlerContext,
  workspaceId: string,
): Promise<void> {
  await callerOf(context).repeatCheck();
  await resolveWorkspace(context, workspaceId);
}

/**
 * Members of a single workspace may omit it. A workspace that added the user without asking never
 * receives what the user meant for another: a change must name it.
 */
function onlyWorkspace(memberships: ReadonlyMap<string, Membership>, isChange: boolean): string {
  const all = [...memberships].filter(([, { isDeleted }]) => !isDeleted);
  const joined = all.filter(([, { isJoined }]) => isJoined);
  const candidates = joined.length > 0 || isChange ? joined : all;
  const [only] = candidates;
  if (only !== undefined && candidates.length === 1) return only[0];
  if (all.length === 0) return '';
  const detail =
    all.length > 1
      ? 'is required for members of several workspaces'
      : 'is required, because the user was added to the workspace without an invitation';
  throw invalid('workspace_id', detail);
}

async function memberWorkspace(
  context: HandlerContext,
  userId: string,
  named: string,
): Promise<string> {
  const { method, membershipsOf } = callerOf(context);
  const memberships = await membershipsOf(userId);
  const workspaceId = named === '' ? onlyWorkspace(memberships, method.sideEffects) : named;
  const membership = memberships.get(workspaceId);
  if (membership === undefined)
    throw fail('forbidden', 'The user is not a member of the workspace.');
  const { scopes, isDeleted } = membership;
  const { scope, deletedWorkspace } = method.access;
  if (isDeleted && !deletedWorkspace) throw workspaceDeleted(workspaceId);
  // A method without a scope answers by the scopes of others.
  if (scope !== '' && !scopes.has(scope)) {
    throw fail('forbidden', `The user's role in the workspace does not include ${scope}.`);
  }
  return workspaceId;
}
