import { useForm } from '@mantine/form';
import { type Client, ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { useDialogs } from '../shared/dialogs.tsx';
import { parseExpireTime } from '../shared/expiry-field.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { useMethod } from '../shared/use-method.ts';
import { SecretFields, toShownSecret } from './secret-fields.tsx';

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
