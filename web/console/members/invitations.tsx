/** The open invitations of a workspace. */
import { IconMailForward, IconMailOff } from '@tabler/icons-react';
import {
  type Invitation,
  WorkspaceService,
} from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { DateTime } from '../shared/date-time.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { type Column, isEmptyList, Listing } from '../shared/listing.tsx';
import { RowMenu } from '../shared/row-menu.tsx';
import { Section } from '../shared/section.tsx';
import { useMethod } from '../shared/use-method.ts';
import { usePagedList } from '../shared/use-paged-list.ts';
import { RoleBadge } from './roles.tsx';

/** Nothing without an open invitation. */
export function Invitations({ workspaceId }: { readonly workspaceId: string }) {
  const list = usePagedList(
    WorkspaceService.method.listInvitations,
    { workspaceId },
    ({ invitations }) => invitations,
    { name: 'invitations' },
  );
  if (list.error === null && (list.rows === undefined || isEmptyList(list))) return null;
  return (
    <Section title="Open invitations">
      <Listing
        label="Open invitations"
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        empty={{ title: 'No open invitations', text: 'Invite people by email.' }}
      />
    </Section>
  );
}

const columns: readonly Column<Invitation>[] = [
  { title: 'Email address', cell: ({ email }) => email },
  { title: 'Role', isPlain: true, cell: ({ role }) => <RoleBadge role={role} /> },
  {
    title: 'Sent',
    orderBy: 'create_time',
    isNewestFirst: true,
    cell: ({ createTime }) => <DateTime time={createTime} />,
  },
  { title: 'Expires', cell: ({ expireTime }) => <DateTime time={expireTime} /> },
  {
    title: 'Actions',
    isTitleHidden: true,
    cell: (invitation) => <Actions invitation={invitation} />,
  },
];

function Actions({ invitation }: { readonly invitation: Invitation }) {
  const { id: invitationId, workspaceId, email, role } = invitation;
  const { confirm } = useDialogs();
  const create = useMethod(WorkspaceService.method.createInvitation);
  const revoke = useMethod(WorkspaceService.method.revokeInvitation);
  const resend = () =>
    confirm({
      title: `Send the invitation to ${email} again?`,
      consequence: 'The new link works for 7 days. The link in the earlier email stops working.',
      label: 'Send again',
      isDestructive: false,
      run: () => create({ workspaceId, email, role }),
    });
  const withdraw = () =>
    confirm({
      title: `Withdraw the invitation to ${email}?`,
      consequence: 'The link in the email stops working immediately. You can send a new one.',
      label: 'Withdraw',
      run: () => revoke({ workspaceId, invitationId }),
    });
  return (
    <RowMenu
      name={email}
      actions={[
        { label: 'Send again', icon: IconMailForward, run: resend },
        { label: 'Withdraw', icon: IconMailOff, run: withdraw },
      ]}
    />
  );
}
