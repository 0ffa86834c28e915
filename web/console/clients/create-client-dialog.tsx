import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { tokenCommand } from '../shared/curl-commands.ts';
import { useDialogs } from '../shared/dialogs.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { validateScopes } from '../shared/scopes/scopes-field.tsx';
import { useMethod } from '../shared/use-method.ts';
import { ClientScopesField } from './client-scopes-field.tsx';

export function CreateClientDialog() {
  const { showSecret } = useDialogs();
  const create = useMethod(ClientService.method.createClient);
  const form = useForm({
    initialValues: { name: '', scopes: [] as string[] },
    validate: { scopes: validateScopes },
  });
  return (
    <FormDialog
      title="Create client"
      label="Create"
      form={form}
      questionFor={({ scopes }) =>
        scopes.length === 0
          ? 'Without scopes, the client gets no token. Create it anyway?'
          : undefined
      }
      submit={async ({ name, scopes }) => {
        const { client, clientSecret } = await create({ name, scopes });
        const clientId = client?.id ?? '';
        const command = tokenCommand(clientId, clientSecret, scopes);
        showSecret({
          title: `Secret of “${isolateName(name)}”`,
          label: 'client secret',
          text: clientSecret,
          note: `Use it with the client ID ${clientId}.`,
          ...(command === undefined ? {} : { command }),
        });
      }}
    >
      <TextInput
        label="Name"
        required
        maxLength={255}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <ClientScopesField {...form.getInputProps('scopes')} value={form.values.scopes} />
    </FormDialog>
  );
}
