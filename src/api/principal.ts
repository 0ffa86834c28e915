// The principal of a credential, and how handlers get the caller.
import { createContextKey, type HandlerContext } from '@connectrpc/connect';
import { PrincipalType } from '../../gen/latchkey/options/v1/access_pb.js';
import type { Executor } from '../storage/schema/schema.ts';
import type { Call } from './call.ts';
import type { MethodFacts } from './endpoint.ts';

type Scoped = {
  readonly scopes: ReadonlySet<string>;
  /** The client that acts for the principal with an exchanged token (RFC 8693 §4.1). */
  readonly actingClientId?: string;
  /** The `jti` of the token; unset for other credentials. */
  readonly tokenId?: string;
};

export type UserPrincipal = Scoped & {
  readonly type: 'staff' | 'member';
  readonly userId: string;
  readonly sessionId: string;
  /** When the user signed in, in seconds since 1970. */
  readonly authTime: number;
  /** Whether the session lacks a required second factor. It then has no scopes. */
  readonly lacksSecondFactor?: boolean;
};

export type Principal =
  | { readonly type: 'anonymous' }
  | (Scoped & { readonly type: 'service'; readonly clientId: string })
  | (Scoped & {
      readonly type: 'customer';
      readonly customerId: string;
      readonly keyId: string;
      readonly accounts: readonly string[];
    })
  | UserPrincipal
  | (Scoped & {
      readonly type: 'workspace_key';
      readonly keyId: string;
      readonly workspaceId: string;
    });

export const anonymous: Principal = { type: 'anonymous' };

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

export type Membership = {
  readonly scopes: ReadonlySet<string>;
  readonly isJoined: boolean;
  /** The scopes are then only those for managing the workspace itself. */
  readonly isDeleted: boolean;
  /** When the workspace begins to require a second factor; undefined if it does not. */
  readonly factorDueTime?: number | undefined;
};

/** The memberships of a user by workspace. Cached, unless a transaction reads them. */
export type MembershipsOf = (
  userId: string,
  trx?: Executor,
) => Promise<ReadonlyMap<string, Membership>>;

/** False if the workspace does not exist. Cached. */
export type IsWorkspaceDeleted = (workspaceId: string) => Promise<boolean>;

export type Caller = {
  readonly principal: Principal;
  readonly call: Call;
  readonly method: MethodFacts;
  readonly membershipsOf: MembershipsOf;
  readonly isWorkspaceDeleted: IsWorkspaceDeleted;
  repeatCheck(): Promise<void>;
};

const callerKey = createContextKey<Caller | undefined>(undefined, { description: 'the caller' });

export function callerOf(context: HandlerContext): Caller {
  const caller = context.values.get(callerKey);
  if (caller === undefined) throw new Error('the call has not passed the guard');
  return caller;
}

export function setCaller(context: HandlerContext, caller: Caller): void {
  context.values.set(callerKey, caller);
}

export function principalOf(context: HandlerContext): Principal {
  return callerOf(context).principal;
}

export function userOf(context: HandlerContext): UserPrincipal {
  const principal = principalOf(context);
  if (!isUser(principal)) throw new Error('the method is not for users alone');
  return principal;
}

export function isUser(principal: Principal): principal is UserPrincipal {
  return principal.type === 'staff' || principal.type === 'member';
}

/** Empty if no client acts for the principal. */
export function actingClientOf(principal: Principal): string {
  return principal.type === 'anonymous' ? '' : (principal.actingClientId ?? '');
}

/** Empty if the call has another credential, or none. */
export function tokenIdOf(principal: Principal): string {
  return principal.type === 'anonymous' ? '' : (principal.tokenId ?? '');
}

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
