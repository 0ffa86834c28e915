import { IconLogout, IconUserCog, IconUserMinus } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import {
  type Member,
  MemberRole,
  WorkspaceService,
} from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { useRefreshOwnSession, useUser } from '../session/session-context.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { displayName } from '../shared/display-name.ts';
import { isolateName } from '../shared/isolate-name.tsx';
import { RowMenu } from '../shared/lists/row-menu.tsx';
import { useMethod } from '../shared/use-method.ts';

import { ChangeRoleDialog } from './member-dialogs.tsx';
import type { MemberPermissions } from './member-permissions.ts';

type MemberActionsProps = { readonly member: Member; readonly permissions: MemberPermissions };

export function MemberActions({ member, permissions }: MemberActionsProps) {
  const { mayChange, mayMakeOwners } = permissions;
  const { id } = useUser();
  const { open } = useDialogs();
  const askToRemove = useRemoval(member);
  const isSelf = member.userId === id;
  const mayChangeRole = mayChange && (member.role !== MemberRole.OWNER || mayMakeOwners);
  if (!mayChangeRole && !isSelf) return null;
  const changeRole = () =>
    open(<ChangeRoleDialog member={member} isSelf={isSelf} mayMakeOwners={mayMakeOwners} />);
  return (
    <RowMenu
      name={displayName(member)}
      actions={[
        mayChangeRole && { label: 'Change role', icon: IconUserCog, run: changeRole },
        {
          label: isSelf ? 'Leave workspace' : 'Remove',
          icon: isSelf ? IconLogout : IconUserMinus,
          run: askToRemove,
        },
      ]}
    />
  );
}

/** Removes the member, or leaves the workspace, after a confirmation. */
function useRemoval(member: Member): () => void {
  const { workspaceId, userId } = member;
  const { id } = useUser();
  const refreshNow = useRefreshOwnSession(userId);
  const { confirm } = useDialogs();
  const navigate = useNavigate();
  const remove = useMethod(WorkspaceService.method.removeMember);
  const leave = useMethod(WorkspaceService.method.leaveWorkspace);
  if (userId === id) {
    return () =>
      confirm({
        title: 'Leave workspace?',
        consequence:
          'You lose access to its documents and links immediately. What you created stays. To ' +
          'return, ask an admin or owner of the workspace to invite you.',
        label: 'Leave',
        run: async () => {
          await leave({ workspaceId });
          await refreshNow();
          await navigate({ to: '/workspaces' });
        },
      });
  }
  return () =>
    confirm({
      title: `Remove ${isolateName(displayName(member))}?`,
      consequence:
        'They lose access to the workspace immediately. What they created stays. API keys that ' +
        'they know keep working until you revoke them.',
      label: 'Remove',
      run: () => remove({ workspaceId, userId }),
    });
}
