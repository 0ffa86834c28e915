import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { FormDialog } from '../shared/form-dialog.tsx';
import { NoMailNote } from '../shared/no-mail-note.tsx';
import { useMethod } from '../shared/use-method.ts';
import { type NewMemberDialogProps, RoleField } from './role-field.tsx';
import { type RoleName, roleOf } from './roles.tsx';

type Values = { email: string; role: RoleName };

/** Mails a link with which a person joins the workspace. */
export function InviteDialog({ workspaceId, mayMakeOwners, role }: NewMemberDialogProps) {
  const initialValues: Values = { email: '', role };
  const form = useForm({ mode: 'uncontrolled', initialValues });
  const invite = useMethod(WorkspaceService.method.createInvitation);
  return (
    <FormDialog
      title="Invite by email"
      label="Send invitation"
      form={form}
      submit={({ email, role }) => invite({ workspaceId, email: email.trim(), role: roleOf(role) })}
    >
      <NoMailNote />
      <TextInput
        label="Email address"
        description="We’ll email a link to join. It works once and expires after 7 days."
        type="email"
        required
        maxLength={254}
        autoComplete="off"
        data-autofocus
        key={form.key('email')}
        {...form.getInputProps('email')}
      />
      <RoleField
        mayMakeOwners={mayMakeOwners}
        key={form.key('role')}
        {...form.getInputProps('role')}
      />
    </FormDialog>
  );
}
