import { Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type Client, ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { offlineVerificationNote } from '../shared/credentials/credential.ts';
import { FormDialog } from '../shared/form-dialog.tsx';
import { ClientScopesField } from '../shared/scopes/client-scopes-field.tsx';
import { validateScopes } from '../shared/scopes/scopes-field.tsx';
import { withMask } from '../shared/update-mask.ts';
import { useMethod } from '../shared/use-method.ts';

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
        update({ clientId: client.id, etag: client.etag, ...withMask({ scopes }) })
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
