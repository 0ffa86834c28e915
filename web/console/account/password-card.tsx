import { Button, PasswordInput, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { type User, UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { useUser } from '../session/session-context.tsx';
import { CurrentPasswordInput } from '../shared/current-password-input.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { useMethod } from '../shared/use-method.ts';
import { AccountCard } from './account-card.tsx';

export function PasswordCard({ user }: { readonly user: User }) {
  const { open } = useDialogs();
  const [isChanged, setChanged] = useState(false);
  if (!user.passwordEnabled) {
    return <AccountCard title="Password" about="You sign in with your company account." />;
  }
  return (
    <AccountCard
      title="Password"
      about="Changing your password signs you out of all other sessions."
      actions={
        <Button
          variant="default"
          onClick={() => open(<ChangePasswordDialog onChanged={() => setChanged(true)} />)}
        >
          Change password
        </Button>
      }
    >
      <Text role="status" size="sm" hidden={!isChanged}>
        {isChanged ? 'Password changed. Your other sessions were signed out.' : ''}
      </Text>
    </AccountCard>
  );
}

function ChangePasswordDialog({ onChanged }: { readonly onChanged: () => void }) {
  const { id, email } = useUser();
  const change = useMethod(UserService.method.setPassword);
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { currentPassword: '', password: '', again: '' },
    validate: {
      again: (again, { password }) => (again === password ? null : 'The passwords don’t match.'),
    },
  });
  return (
    <FormDialog
      title="Change password"
      label="Change password"
      form={form}
      submit={async ({ currentPassword, password }) => {
        await change({ userId: id, currentPassword, password });
        onChanged();
      }}
    >
      {/* Password managers store the new password under this name. */}
      <input type="text" autoComplete="username" defaultValue={email} hidden readOnly />
      <CurrentPasswordInput
        key={form.key('currentPassword')}
        {...form.getInputProps('currentPassword')}
      />
      <PasswordInput
        label="New password"
        description="At least 12 characters. A few unrelated words work well."
        autoComplete="new-password"
        required
        key={form.key('password')}
        {...form.getInputProps('password')}
      />
      <PasswordInput
        label="Confirm new password"
        autoComplete="new-password"
        required
        key={form.key('again')}
        {...form.getInputProps('again')}
      />
      <Text size="sm">You stay signed in here. All other sessions are signed out.</Text>
    </FormDialog>
  );
}
