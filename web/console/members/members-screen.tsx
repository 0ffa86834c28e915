import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconUsers } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import { type Member, WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { useHasScope, useUser } from '../session/session-context.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { type Column, Listing } from '../shared/listing.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { Screen } from '../shared/screen.tsx';
import { useCreateDialog } from '../shared/use-create-dialog.ts';
import { usePagedList } from '../shared/use-paged-list.ts';
import { AddMemberDialog } from './add-member-dialog.tsx';
import { Invitations } from './invitations.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { MemberActions } from './member-actions.tsx';
import { type MemberPermissions, useMemberPermissions } from './member-permissions.ts';
import { RoleBadge, RoleDescriptions } from './roles.tsx';

export function MembersScreen() {
  const { workspaceId } = useParams({ from: '/shell/workspaces/$workspaceId/members' });
  const list = usePagedList(
    WorkspaceService.method.listMembers,
    { workspaceId },
    ({ members }) => members,
  );
  const permissions = useMemberPermissions(list.rows ?? []);
  const { kind } = useUser();
  const [isOpen, { open, close }] = useDisclosure(false);
  const [isInviting, invite] = useCreateDialog();
  const mayAdd = permissions.mayChange && list.rows !== undefined;
  return (
    <Screen
      title="Members"
      about="People with access to this workspace. Staff have access without being members."
      actions={
        mayAdd ? (
          <>
            {kind === 'staff' ? (
              <Button variant="default" onClick={open}>
                Add member
              </Button>
            ) : null}
            <Button onClick={invite.open}>Invite by email</Button>
          </>
        ) : undefined
      }
    >
      <Listing
        label="Members"
        list={list}
        columns={columnsFor(permissions, kind === 'member')}
        idOf={({ userId }) => userId}
        empty={{
          title: 'No members yet',
          icon: IconUsers,
          text: mayAdd
            ? 'Invite an owner first. The owner can invite other members.'
            : 'You don’t have permission to add members.',
        }}
      />
      {mayAdd ? <Invitations workspaceId={workspaceId} /> : null}
      <RoleDescriptions />
      <AddMemberDialog
        workspaceId={workspaceId}
        mayMakeOwners={permissions.mayMakeOwners}
        isOpen={isOpen}
        close={close}
      />
      <InviteDialog
        workspaceId={workspaceId}
        mayMakeOwners={permissions.mayMakeOwners}
        isOpen={isInviting}
        close={invite.close}
      />
    </Screen>
  );
}

function columnsFor(permissions: MemberPermissions, mayLeave: boolean): readonly Column<Member>[] {
  const columns: readonly Column<Member>[] = [
    { title: 'Name', cell: (member) => <Name member={member} /> },
    {
      title: 'Email address',
      isFree: true,
      isPlain: true,
      cell: (member) => <Email member={member} />,
    },
    { title: 'Role', isPlain: true, cell: ({ role }) => <RoleBadge role={role} /> },
    { title: 'Added', cell: ({ createTime }) => <DateTime time={createTime} /> },
  ];
  if (!permissions.mayChange && !mayLeave) return columns;
  return [
    ...columns,
    {
      title: 'Actions',
      isTitleHidden: true,
      cell: (member) => <MemberActions member={member} permissions={permissions} />,
    },
  ];
}

function Name({ member: { userId, name } }: { readonly member: Member }) {
  const { id } = useUser();
  return (
    <span>
      {name || '—'}
      {userId === id ? ' (you)' : null}
    </span>
  );
}

function Email({ member: { userId, email } }: { readonly member: Member }) {
  const { kind } = useUser();
  const hasScope = useHasScope();
  if (kind !== 'staff' || !hasScope('users:read')) return email;
  return (
    <TextLink to="/users/$userId" params={{ userId }}>
      {email}
    </TextLink>
  );
}
