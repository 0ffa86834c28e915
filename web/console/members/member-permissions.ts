import { type Member, MemberRole } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { useHasScope, useUser } from '../session/session-context.tsx';

/** The actions that the console offers. The service checks each request. */
export type MemberPermissions = {
  readonly mayChange: boolean;
  /** Whether the user can add and remove owners. */
  readonly mayMakeOwners: boolean;
};

export function useMemberPermissions(members: readonly Member[]): MemberPermissions {
  const { id, kind } = useUser();
  const hasScope = useHasScope();
  const holds = hasScope('workspaces:write');
  if (kind === 'staff') return { mayChange: holds, mayMakeOwners: holds };
  const own = members.find(({ userId }) => userId === id)?.role;
  return {
    // The scope may come from another workspace, so the role counts. It is unknown until the page
    // of the list with the user is loaded.
    mayChange: holds && own !== MemberRole.MEMBER,
    mayMakeOwners: own === MemberRole.OWNER,
  };
}
