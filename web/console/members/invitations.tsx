/** The open invitations of a workspace, and the dialog to send one. */
import { Button, Group, NativeSelect, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import {
  type Invitation,
  WorkspaceService,
} from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { DateTime } from '../shared/date-time.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { type Column, Listing } from '../shared/listing.tsx';
import { useMethod } from '../shared/use-method.ts';
import { usePagedList } from '../shared/use-paged-list.ts';
import { usePendingAction } from '../shared/use-pending-action.ts';
import { RoleBadge, type RoleName, roleOf, roleOptions } from './roles.tsx';

export type InvitationsProps = { readonly workspaceId: string; readonly mayMakeOwners: boolean };

export function Invitations({ workspaceId, mayMakeOwners }: InvitationsProps) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const list = usePagedList(
    WorkspaceService.method.listInvitations,
    { workspaceId },
    ({ invitations }) => invitations,
  );
  return (
    <section>
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          Open invitations
        </Title>
        <Button variant="default" onClick={open}>
          Invite by e-mail
        </Button>
      </Group>
      <Listing
        label="Open invitations"
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        empty={{
          title: 'No open invitations',
          text: 'Invite people by e-mail. They choose their own password.',
        }}
      />
      <InviteDialog
        workspaceId={workspaceId}
        mayMakeOwners={mayMakeOwners}
        isOpen={isOpen}
        close={close}
      />
    </section>
  );
}

const columns: readonly Column<Invitation>[] = [
  { title: 'E-mail address', isFree: true, cell: ({ email }) => email },
  { title: 'Role', cell: ({ role }) => <RoleBadge role={role} /> },
  { title: 'Expires', cell: ({ expireTime }) => <DateTime time={expireTime} /> },
  {
    title: 'Actions',
    isTitleHidden: true,
    cell: (invitation) => <Revoke invitation={invitation} />,
  },
];

function Revoke({ invitation }: { readonly invitation: Invitation }) {
  const { id: invitationId, workspaceId, email } = invitation;
  const revoke = useMethod(WorkspaceService.method.revokeInvitation);
  const { run, isPending, error } = usePendingAction();
  return (
    <>
      <Button
        variant="subtle"
        size="xs"
        loading={isPending}
        aria-label={`Revoke the invitation of ${email}`}
        onClick={() => void run(() => revoke({ workspaceId, invitationId }))}
      >
        Revoke
      </Button>
      {error === undefined ? null : <ErrorAlert error={error} />}
    </>
  );
}

type DialogProps = InvitationsProps & { readonly isOpen: boolean; readonly close: () => void };
type Values = { email: string; role: RoleName };
const initialValues: Values = { email: '', role: 'member' };

function InviteDialog({ workspaceId, mayMakeOwners, isOpen, close }: DialogProps) {
  const form = useForm({ mode: 'uncontrolled', initialValues });
  const invite = useMethod(WorkspaceService.method.createInvitation);
  return (
    <FormDialog
      title="Invite by e-mail"
      label="Send invitation"
      isOpen={isOpen}
      close={() => {
        form.reset();
        close();
      }}
      form={form}
      submit={({ email, role }) => invite({ workspaceId, email: email.trim(), role: roleOf(role) })}
    >
      <TextInput
        label="E-mail address"
        description="The link in the e-mail works once, within 7 days."
        type="email"
        required
        maxLength={254}
        autoComplete="off"
        data-autofocus
        key={form.key('email')}
        {...form.getInputProps('email')}
      />
      <NativeSelect
        label="Role"
        data={roleOptions(mayMakeOwners)}
        key={form.key('role')}
        {...form.getInputProps('role')}
      />
    </FormDialog>
  );
}
