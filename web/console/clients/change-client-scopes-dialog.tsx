import { Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type Client, ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { offlineVerificationNote } from '../shared/credentials/credential.ts';
import { FormDialog } from '../shared/form-dialog.tsx';
import { validateScopes } from '../shared/scopes/scopes-field.tsx';
import { useMethod } from '../shared/use-method.ts';
import { ClientScopesField } from './client-scopes-field.tsx';

export type ChangeClientScopesDialogProps = {
  readonly client: Client;
};

export function ChangeClientScopesDialog({ client }: ChangeClientScopesDialogProps) {
  const update = useMethod(ClientService.method.updateClient);
  const form = useForm({
    initialValues: { scopes: client.scopes },
    validate: { scopes: validateScopes },
  });
  const kept = new Set(form.values.scopes);
  const lost = client.scopes.filter((scope) => !kept.has(scope));
  return (
    <FormDialog
      title="Change scopes"
      label="Save"
      form={form}
      submit={({ scopes }) =>
        update({
          clientId: client.id,
          etag: client.etag,
          scopes,
          updateMask: { paths: ['scopes'] },
        })
      }
    >
      <ClientScopesField
        {...form.getInputProps('scopes')}
        value={form.values.scopes}
        held={client.scopes}
      />
      <Text size="sm" role="status">
        {lost.length === 0
          ? ''
          : `Removed immediately, also from existing tokens: ${lost.join(', ')}. ` +
            offlineVerificationNote()}
      </Text>
    </FormDialog>
  );
}
