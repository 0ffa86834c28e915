import { PasswordInput, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type User, UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { useAct } from '../parts/act.ts';
import { callName } from '../parts/call-name.ts';
import { FormDialog } from '../parts/form-dialog.tsx';
import { isolated } from '../parts/isolated.tsx';

const passwordRule = 'At least 12 characters, and not the e-mail address.';

export const passwordAdvice =
  `${passwordRule} Tell it to the user in a safe way; they can change it on their page “Your ` +
  'account”.';

type SetPasswordProps = {
  readonly user: User;
  readonly isSelf: boolean;
  readonly isOpen: boolean;
  readonly close: () => void;
};

export function SetPassword({ user, isSelf, isOpen, close }: SetPasswordProps) {
  const form = useForm({ mode: 'uncontrolled', initialValues: { password: '' } });
  const set = useAct(UserService.method.setPassword);
  return (
    <FormDialog
      title={`Set the password of ${isolated(callName(user))}`}
      label="Set password"
      isOpen={isOpen}
      close={close}
      form={form}
      submit={({ password }) => set({ userId: user.id, password })}
    >
      <Text>
        The old password stops working at once, and{' '}
        {isSelf ? 'every session of yours ends but this one.' : 'every session of the user ends.'}
      </Text>
      <PasswordInput
        label="New password"
        description={isSelf ? passwordRule : passwordAdvice}
        required
        autoComplete="new-password"
        data-autofocus
        key={form.key('password')}
        {...form.getInputProps('password')}
      />
    </FormDialog>
  );
}
