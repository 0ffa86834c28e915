import { Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import {
  defaultOverlap,
  formatOverlapEnd,
  OverlapField,
  oldCredentialNote,
} from '../shared/credentials/overlap-field.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { parseExpireTime } from '../shared/expiry-field.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { useMethod } from '../shared/use-method.ts';
import type { SecretDialogProps } from './create-secret-dialog.tsx';
import { SecretFields, toShownSecret } from './secret-fields.tsx';

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
