import { Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type Client, ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { offlineVerificationNote } from '../shared/credentials/credential.ts';
import { FormDialog } from '../shared/form-dialog.tsx';
import { validateScopes } from '../shared/scopes-field.tsx';
import { splitWords } from '../shared/split-words.ts';
import { useMethod } from '../shared/use-method.ts';
import { GrantedScopesField } from './granted-scopes-field.tsx';

export type ChangeClientScopesDialogProps = {
  readonly client: Client;
};

export function ChangeClientScopesDialog({ client }: ChangeClientScopesDialogProps) {
  const update = useMethod(ClientService.method.updateClient);
  const form = useForm({
    initialValues: { scopes: client.scopes.join('\n') },
    validate: { scopes: validateScopes },
  });
  const kept = new Set(splitWords(form.values.scopes));
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
          scopes: splitWords(scopes),
          updateMask: { paths: ['scopes'] },
        })
      }
    >
      <GrantedScopesField
        data-autofocus
        {...form.getInputProps('scopes')}
        value={form.values.scopes}
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
