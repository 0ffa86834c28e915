import { Checkbox, PasswordInput, Stack, TextInput } from '@mantine/core';
import { ExpiryField } from '../shared/expiry-field.tsx';
import type { LinkForm } from './link-form.ts';

export function NameField({ form }: { readonly form: LinkForm }) {
  return (
    <TextInput
      label="Name"
      description="Only members of the workspace see it."
      maxLength={255}
      data-autofocus
      {...form.getInputProps('name')}
    />
  );
}

export function NewPasswordField({ form, isNext }: { form: LinkForm; isNext: boolean }) {
  return (
    <PasswordInput
      label={isNext ? 'New password' : 'Password'}
      description={isNext ? 'At least 8 characters.' : 'Optional. At least 8 characters.'}
      autoComplete="new-password"
      maxLength={256}
      required={isNext}
      {...form.getInputProps('password')}
    />
  );
}

type OptionFieldsProps = {
  readonly form: LinkForm;
  /** Whether the viewer shows the document. Unset: unknown. */
  readonly viewable?: boolean | undefined;
};

export function OptionFields({ form, viewable }: OptionFieldsProps) {
  const { emailRequired, emailVerificationRequired } = form.getValues();
  return (
    <>
      <Stack gap="sm">
        <Checkbox
          label="Require e-mail"
          description="Readers enter their e-mail address. You see it with each view."
          {...form.getInputProps('emailRequired', { type: 'checkbox' })}
        />
        <Checkbox
          label="Verify e-mail"
          description={
            emailRequired
              ? 'Readers confirm the address with a one-time code.'
              : 'Turn on “Require e-mail” first.'
          }
          ml="xl"
          disabled={!emailRequired}
          {...form.getInputProps('emailVerificationRequired', { type: 'checkbox' })}
          checked={emailRequired && emailVerificationRequired}
        />
        <Checkbox
          label="Allow download"
          description={
            viewable === false
              ? 'The viewer cannot show this file type. Readers can only download it.'
              : 'Otherwise, readers can only view the document.'
          }
          {...form.getInputProps('allowDownload', { type: 'checkbox' })}
        />
      </Stack>
      <ExpiryField {...form.getInputProps('expireTime')} />
    </>
  );
}
