import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { useMethod } from '../shared/use-method.ts';
import { useFindNewMember } from './find-new-member.ts';
import { type NewMemberDialogProps, RoleField } from './role-field.tsx';
import { type RoleName, roleOf } from './roles.tsx';

type Values = { userId: string; role: RoleName };

/** For staff, who may add a user without an invitation. */
export function AddMemberDialog({ workspaceId, mayMakeOwners, role }: NewMemberDialogProps) {
  const hasScope = useHasScope();
  const mayLookUp = hasScope('users:read');
  const initialValues: Values = { userId: '', role };
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
