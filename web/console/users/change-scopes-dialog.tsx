import { Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type User, UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { useAct } from '../parts/act.ts';
import { callName } from '../parts/call-name.ts';
import { FormDialog } from '../parts/form-dialog.tsx';
import { isolated } from '../parts/isolated.tsx';
import { useCatchUp } from '../session/context.tsx';
import { ScopesChoice } from './scopes-choice.tsx';

type ChangeScopesProps = {
  readonly user: User;
  readonly isOpen: boolean;
  readonly close: () => void;
};

export function ChangeScopes({ user, isOpen, close }: ChangeScopesProps) {
  const form = useForm({ mode: 'uncontrolled', initialValues: { scopes: user.scopes } });
  const update = useAct(UserService.method.updateUser);
  const catchUp = useCatchUp(user.id);
  return (
    <FormDialog
      title={`What ${isolated(callName(user))} may do`}
      label="Save"
      isOpen={isOpen}
      close={close}
      form={form}
      submit={async ({ scopes }) => {
        await update({ userId: user.id, scopes, updateMask: { paths: ['scopes'] } });
        await catchUp();
      }}
    >
      <Text>What you take away is gone at once, in the user’s running sessions, too.</Text>
      <ScopesChoice form={form} held={user.scopes} />
    </FormDialog>
  );
}
