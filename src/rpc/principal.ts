// Who calls: what a credential stands for, and where a handler finds it.
import { createContextKey, type HandlerContext } from '@connectrpc/connect';
import { PrincipalType } from '../../gen/latchkey/options/v1/access_pb.js';
import { fail, invalid } from './errors.ts';

type Scoped = { readonly scopes: ReadonlySet<string> };

export type Principal =
  | { readonly type: 'anonymous' }
  | (Scoped & { readonly type: 'service'; readonly clientId: string })
  | (Scoped & {
      readonly type: 'customer';
      readonly customerId: string;
      readonly keyId: string;
      readonly accounts: readonly string[];
    })
  | (Scoped & {
      readonly type: 'staff' | 'member';
      readonly userId: string;
      /** When the user signed in, in seconds since 1970. */
      readonly authTime: number;
    })
  | (Scoped & {
      readonly type: 'workspace_key';
      readonly keyId: string;
      readonly workspaceId: string;
    });

/** The principals that a token can stand for. */
export const tokenPrincipalTypes = ['service', 'customer', 'staff', 'member'] as const;
export type TokenPrincipalType = (typeof tokenPrincipalTypes)[number];

export const principalTypes: Record<Principal['type'], PrincipalType> = {
  anonymous: PrincipalType.UNSPECIFIED,
  service: PrincipalType.SERVICE,
  customer: PrincipalType.CUSTOMER,
  staff: PrincipalType.STAFF,
  member: PrincipalType.MEMBER,
  workspace_key: PrincipalType.WORKSPACE_KEY,
};

const principalKey = createContextKey<Principal>(
  { type: 'anonymous' },
  { description: 'the caller' },
);
const workspaceKey = createContextKey<string>('', { description: 'the workspace of the call' });

export function principalOf(context: HandlerContext): Principal {
  return context.values.get(principalKey);
}

export function setPrincipal(context: HandlerContext, principal: Principal): void {
  context.values.set(principalKey, principal);
}

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
export function resolveWorkspace(principal: Principal, named: string): string {
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
      throw fail('forbidden', 'The user is not a member of the workspace.');
    case 'customer':
    case 'anonymous':
      throw fail('forbidden', 'The caller has no workspace.');
  }
}

/** The caller's own id, for logs. */
export function principalId(principal: Principal): string {
  switch (principal.type) {
    case 'anonymous':
      return '';
    case 'service':
      return principal.clientId;
    case 'customer':
      return principal.customerId;
    case 'staff':
    case 'member':
      return principal.userId;
    case 'workspace_key':
      return principal.keyId;
  }
}
