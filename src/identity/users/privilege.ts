// What a user may do, for the rule that nobody can take over a user who may do more than they.
import type { HandlerContext } from '@connectrpc/connect';
import { callerOf, isUser } from '../../rpc/principal.ts';
import { privilegeOf } from '../../rpc/privilege.ts';
import type { UserRow } from '../../storage/schema.ts';
import { storedScopes } from '../scopes.ts';

/** Throws `forbidden` unless the caller holds everything that the user may do, or is the user. */
export type RequirePower = (user: UserRow) => void;

/**
 * Finds out what the caller and the user may do, before a transaction that is to check it. A staff
 * user's scopes are read within the transaction; a member's are those of all their roles.
 */
export async function powerOver(context: HandlerContext, userId: string): Promise<RequirePower> {
  const { principal, membershipsOf } = callerOf(context);
  if (isUser(principal) && principal.userId === userId) return () => {};
  const requireHeld = await privilegeOf(context);
  const roles = [...(await membershipsOf(userId)).values()];
  return (user) =>
    requireHeld(new Set([...storedScopes(user.scopes), ...roles.flatMap((scopes) => [...scopes])]));
}
