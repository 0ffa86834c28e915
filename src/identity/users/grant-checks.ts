// Compares the current grants of the caller and of a user. A caller cannot take over or weaken a
// user who has more grants than the caller.
import type { HandlerContext } from '@connectrpc/connect';
import { requireHeldScopes } from '../../api/access/privilege.ts';
import { isManagementScope, parseStoredScopes } from '../../api/access/scopes.ts';
import { callerOf, isUser } from '../../api/principal.ts';
import type { Executor, UserRow } from '../../storage/schema.ts';
import { lockUser } from './users.ts';

/**
 * Reads the scopes of all of a user's roles, one set for each workspace. Disabled users count too:
 * otherwise an attacker could disable a user first to hide their roles.
 */
export type RolesOf = (db: Executor, userId: string) => Promise<readonly ReadonlySet<string>[]>;

/** Throws `forbidden` unless the caller holds the user's scopes, or is the user. */
type Require = (trx: Executor, user: UserRow) => Promise<void>;

export type GrantChecks = {
  /**
   * Checks changes that let the caller sign in as the user. Every scope of the user counts,
   * including the scopes of other services.
   */
  readonly requireToActAs: Require;
  /**
   * Checks changes that only remove permissions. Only management scopes and roles count, so that
   * staff with all management scopes can disable any user.
   */
  readonly requireToWeaken: Require;
};

/**
 * The checks read the grants of the user and of the caller within the transaction, which must have
 * locked the user (`lockRow`). Changing a role also locks the user.
 */
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

/** Returns the check for ending the sessions of a user. The check locks the user. */
export function createSessionEndCheck(rolesOf: RolesOf) {
  return async (trx: Executor, context: HandlerContext, userId: string): Promise<void> => {
    const { requireToWeaken } = grantChecksFor(context, userId, rolesOf);
    await requireToWeaken(trx, await lockUser(trx, userId));
  };
}
