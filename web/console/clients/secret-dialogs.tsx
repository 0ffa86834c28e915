import { Text } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { type Client, ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import {
  defaultOverlap,
  formatOverlapEnd,
  OverlapField,
  oldCredentialNote,
} from '../shared/credentials/overlap-field.tsx';
import { tokenCommand } from '../shared/curl-commands.ts';
import { useDialogs } from '../shared/dialogs.tsx';
import { ExpiryField, parseExpireTime } from '../shared/expiry-field.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { NameField } from '../shared/name-dialog.tsx';
import type { ShownSecret } from '../shared/secret-dialog.tsx';
import { useMethod } from '../shared/use-method.ts';

type Values = { readonly name: string; readonly expireTime: string };

type SecretFieldsProps = {
  readonly form: UseFormReturnType<Values>;
  readonly expiryLabel?: string;
};

/** The fields of a new secret. */
function SecretFields({ form, expiryLabel = 'Expires' }: SecretFieldsProps) {
  return (
    <>
      <NameField
        description="Optional. For example, where the secret is used."
        {...form.getInputProps('name')}
      />
      <ExpiryField label={expiryLabel} {...form.getInputProps('expireTime')} />
    </>
  );
}

/** The facts about a new secret. A disabled client cannot get tokens, so it has no command. */
function toShownSecret(client: Client, clientSecret: string): ShownSecret {
  const { id, name, scopes, disableTime } = client;
  return {
    title: `New secret of “${isolateName(name)}”`,
    label: 'client secret',
    text: clientSecret,
    command: disableTime === undefined ? tokenCommand(id, clientSecret, scopes) : undefined,
  };
}

export type SecretDialogProps = {
  readonly client: Client;
};

export function CreateSecretDialog({ client }: SecretDialogProps) {
  const { showSecret } = useDialogs();
  const create = useMethod(ClientService.method.createClientSecret);
  const form = useForm({ initialValues: { name: '', expireTime: '' } });
  return (
    <FormDialog
      title="Create secret"
      label="Create"
      form={form}
      submit={async ({ name, expireTime }) => {
        const request = { clientId: client.id, name, ...parseExpireTime(expireTime) };
        const { clientSecret } = await create(request);
        showSecret(toShownSecret(client, clientSecret));
      }}
    >
      <SecretFields form={form} />
    </FormDialog>
  );
}

export function RotateSecretDialog({ client }: SecretDialogProps) {
  const { showSecret } = useDialogs();
  const rotate = useMethod(ClientService.method.rotateClientSecret);
  const initialValues = { name: '', expireTime: '', overlapSeconds: defaultOverlap };
  const form = useForm({ initialValues });
  const overlap = form.values.overlapSeconds;
  return (
    <FormDialog
      title="Rotate secrets"
      label="Rotate"
      form={form}
      submit={async ({ name, expireTime, overlapSeconds }) => {
        const { secret, clientSecret } = await rotate({
          clientId: client.id,
          name,
          overlapSeconds: Number(overlapSeconds),
          ...parseExpireTime(expireTime),
        });
        showSecret({
          ...toShownSecret(client, clientSecret),
          note: oldCredentialNote(texts, overlapSeconds, secret?.createTime),
        });
      }}
    >
      <Text>Creates a new secret. All older secrets expire.</Text>
      <SecretFields form={form} expiryLabel="New secret expires" />
      <OverlapField
        label="Older secrets expire"
        description={
          overlap === '0'
            ? 'Services that still use them can’t get new tokens.'
            : `They work until ${formatOverlapEnd(Date.now(), overlap)} or until their own expiry.`
        }
        {...form.getInputProps('overlapSeconds')}
      />
    </FormDialog>
  );
}

const texts = {
  expired: 'All older secrets have expired.',
  worksUntil: 'All older secrets expire by',
};
