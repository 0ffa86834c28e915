import { Button, NativeSelect, PasswordInput } from '@mantine/core';
import { useState } from 'react';
import type { LinkForm } from './link-form.ts';
import { generatePassword } from './share/generate-password.ts';

export type PasswordFieldProps = {
  readonly form: LinkForm;
  /** Whether the link has a password already. */
  readonly hasPassword: boolean;
};

/** The password of a new link, or what happens to that of an existing one. */
export function PasswordField({ form, hasPassword }: PasswordFieldProps) {
  if (!hasPassword) return <NewPassword form={form} hasPassword={false} />;
  const { access, passwordChange } = form.values;
  return (
    <>
      <NativeSelect
        label="Password"
        data={[
          { value: 'keep', label: 'Keep current password' },
          { value: 'replace', label: 'Set new password' },
          ...(access === 'password' ? [] : [{ value: 'remove', label: 'Remove password' }]),
        ]}
        {...form.getInputProps('passwordChange')}
      />
      {passwordChange === 'replace' ? <NewPassword form={form} hasPassword /> : null}
    </>
  );
}

function NewPassword({ form, hasPassword }: PasswordFieldProps) {
  const isRequired = hasPassword || form.values.access === 'password';
  // A generated password is shown at once, because the sender has to pass it on.
  const [isVisible, setVisible] = useState(form.values.password !== '');
  return (
    <div>
      <PasswordInput
        label={hasPassword ? 'New password' : 'Password'}
        description={isRequired ? 'At least 8 characters.' : 'Optional. At least 8 characters.'}
        autoComplete="new-password"
        maxLength={256}
        required={isRequired}
        visible={isVisible}
        onVisibilityChange={setVisible}
        {...form.getInputProps('password')}
      />
      <Button
        variant="subtle"
        size="compact-sm"
        mt={4}
        onClick={() => {
          form.setFieldValue('password', generatePassword());
          setVisible(true);
        }}
      >
        Generate password
      </Button>
    </div>
  );
}
