import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import {
  type Member,
  MemberRole,
  WorkspaceService,
} from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { useAct } from '../parts/act.ts';
import { callName } from '../parts/call-name.ts';
import { useDialogs } from '../parts/dialogs.tsx';
import { isolated } from '../parts/isolated.tsx';
import { useCatchUp, useUser } from '../session/context.tsx';

import { ChangeRole } from './change-role-dialog.tsx';
import type { Standing } from './standing.ts';

type MemberActionsProps = { readonly member: Member; readonly standing: Standing };

export function MemberActions({ member, standing }: MemberActionsProps) {
  const { mayChange, mayMakeOwners } = standing;
  const { id } = useUser();
  const [isOpen, { open, close }] = useDisclosure(false);
  const askToRemove = useRemoval(member);
  if (!mayChange || (member.role === MemberRole.OWNER && !mayMakeOwners)) return null;
  const isSelf = member.userId === id;
  const name = callName(member);
  return (
    <Group gap="xs">
      <Button
        size="compact-sm"
        variant="default"
        onClick={open}
        aria-label={`Change role of ${name}`}
      >
        Change role
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        onClick={askToRemove}
        aria-label={isSelf ? 'Leave the workspace' : `Remove ${name}`}
      >
        {isSelf ? 'Leave' : 'Remove'}
      </Button>
      <ChangeRole
        key={member.role}
        member={member}
        isSelf={isSelf}
        mayMakeOwners={mayMakeOwners}
        isOpen={isOpen}
        close={close}
      />
    </Group>
  );
}

/** Asks whether the member is to go. */
function useRemoval(member: Member): () => void {
  const { workspaceId, userId } = member;
  const { id } = useUser();
  const catchUp = useCatchUp(userId);
  const { confirm } = useDialogs();
  const navigate = useNavigate();
  const remove = useAct(WorkspaceService.method.removeMember);
  if (userId === id) {
    return () =>
      confirm({
        title: 'Leave the workspace?',
        consequence:
          'You no longer reach its documents and links, at once. What you have put there stays. ' +
          'To come back, somebody who may has to add you again.',
        label: 'Leave',
        act: async () => {
          await remove({ workspaceId, userId });
          await catchUp();
          await navigate({ to: '/workspaces' });
        },
      });
  }
  return () =>
    confirm({
      title: `Remove ${isolated(callName(member))}?`,
      consequence:
        'They no longer reach the workspace’s documents and links, at once. What they have put ' +
        'there stays, and so do the links that they have made and any API key that they know.',
      label: 'Remove',
      act: () => remove({ workspaceId, userId }),
    });
}
