/** The open invitations of a workspace. */
import { IconMailForward, IconMailOff } from '@tabler/icons-react';
import {
  type Invitation,
  WorkspaceService,
} from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { createdByColumn } from '../shared/creation.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { defineList, useList } from '../shared/lists/define-list.ts';
import { isEmptyList, Listing } from '../shared/lists/listing.tsx';
import { RowMenu } from '../shared/lists/row-menu.tsx';
import { Section } from '../shared/section.tsx';
import { useMethod } from '../shared/use-method.ts';
import { RoleBadge } from './roles.tsx';

const openInvitations = defineList({
  label: 'Open invitations',
  method: WorkspaceService.method.listInvitations,
  rows: (page) => page.invitations,
  name: 'invitations',
  columns: [
    { title: 'Email address', cell: ({ email }) => email },
    { title: 'Role', isPlain: true, cell: ({ role }) => <RoleBadge role={role} /> },
    {
      title: 'Sent',
      orderBy: 'create_time',
      isNewestFirst: true,
      cell: ({ createTime }) => <DateTime time={createTime} />,
    },
    createdByColumn<Invitation>('Sent by'),
    { title: 'Expires', cell: ({ expireTime }) => <DateTime time={expireTime} /> },
    {
      title: 'Actions',
      isTitleHidden: true,
      cell: (invitation) => <Actions invitation={invitation} />,
    },
  ],
});

/** Nothing without an open invitation. */
export function Invitations({ workspaceId }: { readonly workspaceId: string }) {
  const list = useList(openInvitations, { workspaceId });
  if (list.error === null && (list.rows === undefined || isEmptyList(list))) return null;
  return (
    <Section title="Open invitations">
      <Listing
        list={list}
        empty={{ title: 'No open invitations', text: 'Invite people by email.' }}
      />
    </Section>
  );
}

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
