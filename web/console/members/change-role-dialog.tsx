import { NativeSelect, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type Member, WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { useAct } from '../parts/act.ts';
import { callName } from '../parts/call-name.ts';
import { FormDialog } from '../parts/form-dialog.tsx';
import { isolated } from '../parts/isolated.tsx';
import { useCatchUp } from '../session/context.tsx';
import { roleNameOf, roleOf, roleOptions } from './roles.tsx';

type ChangeRoleProps = {
  readonly member: Member;
  readonly isSelf: boolean;
  readonly mayMakeOwners: boolean;
  readonly isOpen: boolean;
  readonly close: () => void;
};

export function ChangeRole(props: ChangeRoleProps) {
  const { member, isSelf, mayMakeOwners, isOpen, close } = props;
  const { workspaceId, userId } = member;
  const catchUp = useCatchUp(userId);
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { role: roleNameOf(member.role) },
  });
  const put = useAct(WorkspaceService.method.putMember);
  return (
    <FormDialog
      title={`Change the role of ${isolated(callName(member))}`}
      label="Save"
      isOpen={isOpen}
      close={close}
      form={form}
      submit={async ({ role }) => {
        await put({ workspaceId, userId, role: roleOf(role) });
        await catchUp();
      }}
    >
      <Text>It takes effect at once.{isSelf ? ' This is you.' : ''}</Text>
      <NativeSelect
        label="Role"
        data={roleOptions(mayMakeOwners)}
        data-autofocus
        key={form.key('role')}
        {...form.getInputProps('role')}
      />
    </FormDialog>
  );
}
