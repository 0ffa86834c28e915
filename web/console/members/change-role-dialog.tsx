import { Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type Member, WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { useRefreshOwnSession } from '../session/session-context.tsx';
import { displayName } from '../shared/display-name.ts';
import { FormDialog } from '../shared/form-dialog.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { useMethod } from '../shared/use-method.ts';
import { type RoleDialogProps, RoleField } from './role-field.tsx';
import { roleNameOf, roleOf } from './roles.tsx';

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
