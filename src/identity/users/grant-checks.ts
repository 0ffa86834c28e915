// Compares the current grants of the caller with those of a user: no one can take over or weaken a
// user who has more grants than they.
import type { HandlerContext } from '@connectrpc/connect';
import { privilegeOf } from '../../access/privilege.ts';
import { isManagementScope, storedScopes } from '../../access/scopes.ts';
import { callerOf, isUser } from '../../api/principal.ts';
import type { Executor, UserRow } from '../../storage/schema.ts';

/**
 * Reads the scopes of all of a user's roles, one set for each workspace, whether or not the user is
 * enabled: an attacker could disable a user first to hide their roles.
 */
export type RolesOf = (db: Executor, userId: string) => Promise<readonly ReadonlySet<string>[]>;

/** Throws `forbidden` unless the caller holds the user's scopes, or is the user. */
type Require = (trx: Executor, user: UserRow) => Promise<void>;

export type GrantChecks = {
  /**
   * For changes that let the caller sign in as the user. Every scope of the user counts, also those
   * of areas that belong to other services.
   */
  readonly requireToActAs: Require;
  /**
   * For changes that only take permissions away. Management scopes and roles count, so that staff
   * with all management scopes can disable any user.
   */
  readonly requireToWeaken: Require;
};

/**
 * Reads what the caller holds, before the transaction. What the user may do is read within the
 * transaction, which must have locked the user (`lockRow`): granting a role locks the user, too.
 */
export async function grantChecksFor(
  context: HandlerContext,
  userId: string,
  rolesOf: RolesOf,
): Promise<GrantChecks> {
  const { principal } = callerOf(context);
  if (isUser(principal) && principal.userId === userId) {
    return { requireToActAs: async () => {}, requireToWeaken: async () => {} };
  }
  const requireHeld = await privilegeOf(context);
  async function scopesOf(trx: Executor, user: UserRow): Promise<string[]> {
    const roles = await rolesOf(trx, user.id);
    return [...storedScopes(user.scopes), ...roles.flatMap((role) => [...role])];
  }
  return {
    async requireToActAs(trx, user) {
      requireHeld(new Set(await scopesOf(trx, user)));
    },
    async requireToWeaken(trx, user) {
      requireHeld(new Set((await scopesOf(trx, user)).filter(isManagementScope)));
    },
  };
}
