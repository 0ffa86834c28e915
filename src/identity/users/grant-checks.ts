// Compares the current grants of the caller and of a user. A caller cannot take over or weaken a
// user who has more grants than the caller.
import type { HandlerContext } from '@connectrpc/connect';
import { requireHeldScopes } from '../../api/access/privilege.ts';
import { isManagementScope, parseStoredScopes } from '../../api/access/scopes.ts';
import { callerOf, isUser } from '../../api/principal.ts';
import type { Executor, UserRow } from '../../storage/schema/schema.ts';
import { lockUser } from './users.ts';

/** One set per workspace. Disabled users count: disabling must not hide their roles. */
export type RolesOf = (db: Executor, userId: string) => Promise<readonly ReadonlySet<string>[]>;

type Require = (trx: Executor, user: UserRow) => Promise<void>;

export type GrantChecks = {
  /** For changes that let the caller sign in as the user. Every scope counts. */
  readonly requireToActAs: Require;
  /** For changes that only remove permissions. Only management scopes and roles count. */
  readonly requireToWeaken: Require;
};

/** Reads the grants within the transaction, which must have locked the user. */
export function grantChecksFor(
  context: HandlerContext,
  userId: string,
  rolesOf: RolesOf,
): GrantChecks {
  const { principal } = callerOf(context);
  if (isUser(principal) && principal.userId === userId) {
    return { requireToActAs: async () => {}, requireToWeaken: async () => {} };
  }
  async function scopesOf(trx: Executor, user: UserRow): Promise<string[]> {
    const roles = await rolesOf(trx, user.id);
    return [...parseStoredScopes(user.scopes), ...roles.flatMap((role) => [...role])];
  }
  return {
    async requireToActAs(trx, user) {
      await requireHeldScopes(trx, context, await scopesOf(trx, user));
    },
    async requireToWeaken(trx, user) {
      await requireHeldScopes(trx, context, (await scopesOf(trx, user)).filter(isManagementScope));
    },
  };
}

/** Locks the user. Throws `not_found` without such a user, or `forbidden`. */
export type RequireGrants = (
  trx: Executor,
  context: HandlerContext,
  userId: string,
) => Promise<void>;

/** For changes by which another person may sign in as the user. */
export function createActAsCheck(rolesOf: RolesOf): RequireGrants {
  return async (trx, context, userId) => {
    const { requireToActAs } = grantChecksFor(context, userId, rolesOf);
    await requireToActAs(trx, await lockUser(trx, userId));
  };
}

export function createSessionEndCheck(rolesOf: RolesOf): RequireGrants {
  return async (trx, context, userId) => {
    const { requireToWeaken } = grantChecksFor(context, userId, rolesOf);
    await requireToWeaken(trx, await lockUser(trx, userId));
  };
}
