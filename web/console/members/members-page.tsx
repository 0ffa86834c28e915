import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useParams } from '@tanstack/react-router';
import { type Member, WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { TextLink } from '../parts/link.tsx';
import { type Column, Listing } from '../parts/listing.tsx';
import { Page } from '../parts/page.tsx';
import { usePaged } from '../parts/paged.ts';
import { When } from '../parts/when.tsx';
import { useHasScope, useUser } from '../session/context.tsx';
import { AddMember } from './add-member-dialog.tsx';
import { MemberActions } from './member-actions.tsx';
import { RoleBadge, RoleMeanings } from './roles.tsx';
import { type Standing, useStanding } from './standing.ts';

export function MembersPage() {
  const { workspaceId } = useParams({ from: '/shell/workspaces/$workspaceId/members' });
  const list = usePaged(
    WorkspaceService.method.listMembers,
    { workspaceId },
    ({ members }) => members,
  );
  const standing = useStanding(list.rows ?? []);
  const [isOpen, { open, close }] = useDisclosure(false);
  const mayAdd = standing.mayChange && list.rows !== undefined;
  return (
    <Page
      title="Members"
      about="Who works in this workspace. The platform’s staff reach it without being members."
      actions={mayAdd ? <Button onClick={open}>Add member</Button> : undefined}
    >
      <Listing
        label="Members"
        list={list}
        columns={columnsFor(standing)}
        idOf={({ userId }) => userId}
        empty={{
          title: 'No members yet',
          text: mayAdd
            ? 'Add the first one, as an owner: who then adds the others.'
            : 'Somebody who may change the workspace can add the first one.',
        }}
      />
      <RoleMeanings />
      <AddMember
        workspaceId={workspaceId}
        mayMakeOwners={standing.mayMakeOwners}
        isOpen={isOpen}
        close={close}
      />
    </Page>
  );
}

function columnsFor(standing: Standing): readonly Column<Member>[] {
  const columns: readonly Column<Member>[] = [
    { title: 'Name', cell: (member) => <Name member={member} /> },
    { title: 'E-mail address', isFree: true, cell: (member) => <Email member={member} /> },
    { title: 'Role', cell: ({ role }) => <RoleBadge role={role} /> },
    { title: 'Since', cell: ({ createTime }) => <When time={createTime} /> },
  ];
  if (!standing.mayChange) return columns;
  return [
    ...columns,
    {
      title: 'Actions',
      isTitleHidden: true,
      cell: (member) => <MemberActions member={member} standing={standing} />,
    },
  ];
}

function Name({ member: { userId, name } }: { readonly member: Member }) {
  const { id } = useUser();
  return (
    <span>
      {name || 'No name'}
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
