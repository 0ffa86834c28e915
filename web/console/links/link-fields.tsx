import { Checkbox, PasswordInput, Stack, TextInput } from '@mantine/core';
import { ExpiryField } from '../shared/expiry-field.tsx';
import type { LinkForm } from './link-form.ts';

export function NameField({ form }: { readonly form: LinkForm }) {
  return (
    <TextInput
      label="Name"
      description="For you only: whoever opens the link does not see it."
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
      description={
        isNext
          ? 'At least 8 characters.'
          : 'The link asks for it before anything else. At least 8 characters. Empty: none.'
      }
      autoComplete="new-password"
      maxLength={256}
      required={isNext}
      {...form.getInputProps('password')}
    />
  );
}

/** What the link asks for beside a password, when it ends, and what it lets the reader do. */
export function OptionFields({ form }: { readonly form: LinkForm }) {
  const { emailRequired, emailVerificationRequired } = form.getValues();
  return (
    <>
      <Stack gap="sm">
        <Checkbox
          label="Ask for an e-mail address"
          description="You see it beside each view."
          {...form.getInputProps('emailRequired', { type: 'checkbox' })}
        />
        <Checkbox
          label="Have the address proven"
          description={
            emailRequired
              ? 'A one-time code is sent to it.'
              : 'Only where an e-mail address is asked for.'
          }
          ml="xl"
          disabled={!emailRequired}
          {...form.getInputProps('emailVerificationRequired', { type: 'checkbox' })}
          checked={emailRequired && emailVerificationRequired}
        />
        <Checkbox
          label="Allow the download"
          description="Without it the document can be looked at only."
          {...form.getInputProps('allowDownload', { type: 'checkbox' })}
        />
      </Stack>
      <ExpiryField {...form.getInputProps('expireTime')} />
    </>
  );
}
