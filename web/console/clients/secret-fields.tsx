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
  /** What the field is called that asks when it ends. */
  readonly endLabel?: string;
};

/** What is asked of a new secret. */
export function SecretFields({ form, endLabel = 'Ends' }: SecretFieldsProps) {
  return (
    <>
      <TextInput
        label="Name"
        description="To tell it from others, such as by where it will be used. May be empty."
        maxLength={255}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <ExpiryField label={endLabel} {...form.getInputProps('expireTime')} />
    </>
  );
}

/** A new secret of a client, as it is shown. A client that is disabled gets no token with it. */
export function shownSecret(client: Client, clientSecret: string): ShownSecret {
  const { id, name, scopes, disableTime } = client;
  const command = disableTime === undefined ? tokenCommand(id, clientSecret, scopes) : undefined;
  return {
    title: `The new secret of “${isolateName(name)}”`,
    label: 'client secret',
    text: clientSecret,
    ...(command === undefined ? {} : { command }),
  };
}
