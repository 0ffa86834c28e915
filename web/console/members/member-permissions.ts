import { type Member, MemberRole } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { useHasScope, useUser } from '../session/session-context.tsx';

/** What the user may do about the members, as far as the page can tell; the service decides. */
export type MemberPermissions = {
  readonly mayChange: boolean;
  /** Whether they say who is an owner. */
  readonly mayMakeOwners: boolean;
};

export function useMemberPermissions(members: readonly Member[]): MemberPermissions {
  const { id, kind } = useUser();
  const hasScope = useHasScope();
  const holds = hasScope('workspaces:write');
  if (kind === 'staff') return { mayChange: holds, mayMakeOwners: holds };
  const own = members.find(({ userId }) => userId === id)?.role;
  return {
    // The scope may come from another workspace. A long list may not have come to the user yet.
    mayChange: holds && own !== MemberRole.MEMBER,
    mayMakeOwners: own === MemberRole.OWNER,
  };
}
