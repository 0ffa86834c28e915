import { Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { tokenCommand } from '../shared/curl-commands.ts';
import { useDialogs } from '../shared/dialogs.tsx';
import { FoldedFields } from '../shared/folded-fields.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { ClientScopesField } from '../shared/scopes/client-scopes-field.tsx';
import { validateScopes } from '../shared/scopes/scopes-field.tsx';
import { useMethod } from '../shared/use-method.ts';
import {
  defaultTokenValues,
  TokenFields,
  tokenRequestOf,
  validateTokenValues,
} from './token-fields.tsx';

export function CreateClientDialog() {
  const { showSecret } = useDialogs();
  const create = useMethod(ClientService.method.createClient);
  const form = useForm({
    initialValues: { name: '', scopes: [] as string[], ...defaultTokenValues },
    validate: { scopes: validateScopes, ...validateTokenValues },
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
      submit={async ({ name, scopes, ...values }) => {
        // Scopes may have been removed after they were chosen as default.
        const defaultScopes = values.defaultScopes.filter((scope) => scopes.includes(scope));
        const tokens = tokenRequestOf({ ...values, defaultScopes });
        const { client, clientSecret } = await create({ name, scopes, ...tokens });
        const clientId = client?.id ?? '';
        // Such a token request needs a proof, or has to name its audience.
        const isSpecial = values.boundTokens || values.audienceIds.length > 1;
        showSecret({
          title: `Secret of “${isolateName(name)}”`,
          label: 'client secret',
          text: clientSecret,
          clientId,
          command: isSpecial ? undefined : tokenCommand(clientId, clientSecret, scopes),
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
      <FoldedFields label="Token settings">
        <Stack mt="xs">
          <TokenFields form={form} scopes={form.values.scopes} isNew />
        </Stack>
      </FoldedFields>
    </FormDialog>
  );
}
