import { PasswordInput, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type User, UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { CurrentPasswordInput } from '../shared/current-password-input.tsx';
import { displayName } from '../shared/display-name.ts';
import { FormDialog } from '../shared/form-dialog.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { useMethod } from '../shared/use-method.ts';

const passwordRule = 'At least 12 characters, and not the email address.';

export const passwordAdvice = `${passwordRule} Send it securely. The user can change it later.`;

type SetPasswordDialogProps = {
  readonly user: User;
  readonly isSelf: boolean;
};

export function SetPasswordDialog({ user, isSelf }: SetPasswordDialogProps) {
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { currentPassword: '', password: '' },
  });
  const set = useMethod(UserService.method.setPassword);
  return (
    <FormDialog
      title={`Set password of ${isolateName(displayName(user))}`}
      label="Set password"
      form={form}
      submit={({ currentPassword, password }) =>
        set({ userId: user.id, currentPassword, password })
      }
    >
      <Text>
        The old password stops working immediately.{' '}
        {isSelf
          ? 'All your other sessions are signed out.'
          : 'All sessions of the user are signed out.'}
      </Text>
      {isSelf ? (
        <CurrentPasswordInput
          key={form.key('currentPassword')}
          {...form.getInputProps('currentPassword')}
        />
      ) : null}
      <PasswordInput
        label="New password"
        description={isSelf ? passwordRule : passwordAdvice}
        required
        autoComplete="new-password"
        {...(isSelf ? {} : { 'data-autofocus': true })}
        key={form.key('password')}
        {...form.getInputProps('password')}
      />
    </FormDialog>
  );
}
