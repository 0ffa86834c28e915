import { NativeSelect, type NativeSelectProps, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type Member, WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { useHasScope, useRefreshOwnSession } from '../session/session-context.tsx';
import { displayName } from '../shared/display-name.ts';
import { FormDialog } from '../shared/form-dialog.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { NoMailNote } from '../shared/no-mail-note.tsx';
import { useMethod } from '../shared/use-method.ts';
import { useFindNewMember } from './find-new-member.ts';
import { type RoleName, roleNameOf, roleOf, roleOptions } from './roles.tsx';

/** A dialog that gives a person a role in a workspace. */
export type RoleDialogProps = {
  readonly workspaceId: string;
  /** Only owners and staff can choose the role of an owner. */
  readonly mayMakeOwners: boolean;
};

/** The props of a dialog that adds a member. */
export type NewMemberDialogProps = RoleDialogProps & {
  /** The preselected role: owner for the first member, because only owners add owners. */
  readonly role: RoleName;
};

type RoleFieldProps = Omit<NativeSelectProps, 'label' | 'data'> &
  Pick<RoleDialogProps, 'mayMakeOwners'>;

/** Chooses a `RoleName`. */
function RoleField({ mayMakeOwners, ...props }: RoleFieldProps) {
  return <NativeSelect label="Role" data={roleOptions(mayMakeOwners)} {...props} />;
}

/** Mails a link with which a person joins the workspace. */
export function InviteDialog({ workspaceId, mayMakeOwners, role }: NewMemberDialogProps) {
  const initialValues = { email: '', role };
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

/** For staff, who may add a user without an invitation. */
export function AddMemberDialog({ workspaceId, mayMakeOwners, role }: NewMemberDialogProps) {
  const hasScope = useHasScope();
  const mayLookUp = hasScope('users:read');
  const initialValues = { userId: '', role };
  const form = useForm({ mode: 'uncontrolled', initialValues });
  const put = useMethod(WorkspaceService.method.putMember);
  const findUserId = useFindNewMember(workspaceId);
  return (
    <FormDialog
      title="Add member"
      label="Add"
      form={form}
      submit={async ({ userId: text, role }) => {
        const userId = await findUserId(text.trim(), mayLookUp);
        await put({ workspaceId, userId, role: roleOf(role) });
      }}
    >
      <TextInput
        label={mayLookUp ? 'Email address or user ID' : 'User ID'}
        description={
          mayLookUp
            ? 'The user must already exist. To add someone else, invite them by email.'
            : 'Users find their ID in “Your account”. It starts with usr_. To add someone else, ' +
              'invite them by email.'
        }
        required
        maxLength={mayLookUp ? 254 : 64}
        autoComplete="off"
        data-autofocus
        key={form.key('userId')}
        {...form.getInputProps('userId')}
      />
      <RoleField
        mayMakeOwners={mayMakeOwners}
        key={form.key('role')}
        {...form.getInputProps('role')}
      />
    </FormDialog>
  );
}

type ChangeRoleDialogProps = Omit<RoleDialogProps, 'workspaceId'> & {
  readonly member: Member;
  readonly isSelf: boolean;
};

export function ChangeRoleDialog(props: ChangeRoleDialogProps) {
  const { member, isSelf, mayMakeOwners } = props;
  const { workspaceId, userId } = member;
  const refreshNow = useRefreshOwnSession(userId);
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { role: roleNameOf(member.role) },
  });
  const put = useMethod(WorkspaceService.method.putMember);
  return (
    <FormDialog
      title={`Change the role of ${isolateName(displayName(member))}`}
      label="Save"
      form={form}
      submit={async ({ role }) => {
        await put({ workspaceId, userId, role: roleOf(role) });
        await refreshNow();
      }}
    >
      <Text>{isSelf ? 'This is your own role. ' : ''}The change applies immediately.</Text>
      <RoleField
        mayMakeOwners={mayMakeOwners}
        data-autofocus
        key={form.key('role')}
        {...form.getInputProps('role')}
      />
    </FormDialog>
  );
}
