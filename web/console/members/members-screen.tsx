import { Button } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import { type Member, WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { useHasScope, useUser } from '../session/session-context.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { type Column, defineList, useList } from '../shared/lists/define-list.ts';
import { Listing } from '../shared/lists/listing.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { Screen } from '../shared/screen.tsx';
import { useCreateRequest } from '../shared/use-create-request.ts';
import { Invitations } from './invitations.tsx';
import { MemberActions } from './member-actions.tsx';
import { AddMemberDialog, InviteDialog } from './member-dialogs.tsx';
import { type MemberPermissions, useMemberPermissions } from './member-permissions.ts';
import { RoleBadge, RoleDescriptions } from './roles.tsx';

const members = defineList({
  label: 'Members',
  method: WorkspaceService.method.listMembers,
  rows: (page) => page.members,
  idOf: ({ userId }) => userId,
  columns: [
    { title: 'Name', cell: (member) => <Name member={member} /> },
    {
      title: 'Email address',
      isFree: true,
      isPlain: true,
      cell: (member) => <Email member={member} />,
    },
    { title: 'Role', isPlain: true, cell: ({ role }) => <RoleBadge role={role} /> },
    { title: 'Added', cell: ({ createTime }) => <DateTime time={createTime} /> },
  ],
});

export function MembersScreen() {
  const { workspaceId } = useParams({ from: '/shell/workspaces/$workspaceId/members' });
  const list = useList(members, { workspaceId });
  const permissions = useMemberPermissions(list.rows ?? []);
  const { kind } = useUser();
  const { open } = useDialogs();
  const { mayMakeOwners } = permissions;
  const hasNone = list.rows?.length === 0 && (list.search?.query ?? '') === '';
  const dialog = { workspaceId, mayMakeOwners, role: hasNone ? 'owner' : 'member' } as const;
  const invite = useCreateRequest(<InviteDialog {...dialog} />);
  const mayAdd = permissions.mayChange && list.rows !== undefined;
  return (
    <Screen
      about="People with access to this workspace. Staff have access without being members."
      actions={
        mayAdd ? (
          <>
            {kind === 'staff' ? (
              <Button variant="default" onClick={() => open(<AddMemberDialog {...dialog} />)}>
                Add member
              </Button>
            ) : null}
            <Button onClick={invite}>Invite by email</Button>
          </>
        ) : undefined
      }
    >
      <Listing
        list={{
          ...list,
          columns: [...list.columns, ...actionsFor(permissions, kind === 'member')],
        }}
        empty={{
          title: 'No members yet',
          icon: IconUsers,
          text: mayAdd
            ? 'The first member must be an owner, who can invite other members.'
            : 'You don’t have permission to add members.',
        }}
      />
      {mayAdd ? <Invitations workspaceId={workspaceId} /> : null}
      <RoleDescriptions />
    </Screen>
  );
}

MembersScreen.reads = [members];

function actionsFor(permissions: MemberPermissions, mayLeave: boolean): Column<Member>[] {
  if (!permissions.mayChange && !mayLeave) return [];
  return [
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
