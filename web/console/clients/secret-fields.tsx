import { TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { Client } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { tokenCommand } from '../shared/curl-commands.ts';
import { ExpiryField } from '../shared/expiry-field.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import type { ShownSecret } from '../shared/secret-dialog.tsx';

type Values = { readonly name: string; readonly expireTime: string };

type SecretFieldsProps = {
  readonly form: UseFormReturnType<Values>;
  readonly expiryLabel?: string;
};

/** The fields of a new secret. */
export function SecretFields({ form, expiryLabel = 'Expires' }: SecretFieldsProps) {
  return (
    <>
      <TextInput
        label="Name"
        description="Optional. For example, where the secret is used."
        maxLength={255}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <ExpiryField label={expiryLabel} {...form.getInputProps('expireTime')} />
    </>
  );
}

/** The facts about a new secret. A disabled client cannot get tokens, so it has no command. */
export function toShownSecret(client: Client, clientSecret: string): ShownSecret {
  const { id, name, scopes, disableTime } = client;
  return {
    title: `New secret of “${isolateName(name)}”`,
    label: 'client secret',
    text: clientSecret,
    command: disableTime === undefined ? tokenCommand(id, clientSecret, scopes) : undefined,
  };
}
