import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { useAct } from '../parts/act.ts';
import { tokenCommand } from '../parts/commands.ts';
import { useDialogs } from '../parts/dialogs.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { isolated } from '../parts/isolated.tsx';
import { problemOfScopes } from '../parts/scopes-field.tsx';
import { wordsIn } from '../parts/words-in.ts';
import { GrantedScopesField } from './granted-scopes-field.tsx';

type Dialog = { readonly isOpen: boolean; readonly close: () => void };

export function CreateClientDialog({ isOpen, close }: Dialog) {
  const { showSecret } = useDialogs();
  const create = useAct(ClientService.method.createClient);
  const form = useForm({
    initialValues: { name: '', scopes: '' },
    validate: { scopes: problemOfScopes },
  });
  return (
    <FormDialog
      title="Create a client"
      label="Create"
      isOpen={isOpen}
      close={close}
      form={form}
      submit={async ({ name, scopes: text }) => {
        const scopes = wordsIn(text);
        const { client, clientSecret } = await create({ name, scopes });
        const clientId = client?.id ?? '';
        const command = tokenCommand(clientId, clientSecret, scopes);
        showSecret({
          title: `The first secret of “${isolated(name)}”`,
          label: 'client secret',
          text: clientSecret,
          note: `It goes with the client id ${clientId}.`,
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
      <GrantedScopesField {...form.getInputProps('scopes')} value={form.values.scopes} />
    </FormDialog>
  );
}
