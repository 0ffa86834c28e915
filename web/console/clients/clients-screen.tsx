import { Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconServer } from '@tabler/icons-react';
import { type Client, ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { CopyableText } from '../shared/copyable-text.tsx';
import { createdColumn } from '../shared/creation.tsx';
import { tokenCommand } from '../shared/curl-commands.ts';
import { useDialogs } from '../shared/dialogs.tsx';
import { EnabledBadge } from '../shared/enabled-badge.tsx';
import { FoldedFields } from '../shared/folded-fields.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { defineList, useList } from '../shared/lists/define-list.ts';
import { deletedFilter, showDeleted } from '../shared/lists/deleted-filter.ts';
import { ListScreen } from '../shared/lists/list-screen.tsx';
import { NameField } from '../shared/name-dialog.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { ClientScopesField } from '../shared/scopes/client-scopes-field.tsx';
import { validateScopes } from '../shared/scopes/scopes-field.tsx';
import { ScopesCell } from '../shared/scopes-cell.tsx';
import { useMethod } from '../shared/use-method.ts';
import {
  defaultTokenValues,
  TokenFields,
  tokenRequestOf,
  validateTokenValues,
} from './token-fields.tsx';

const clients = defineList({
  label: 'Clients',
  method: ClientService.method.listClients,
  rows: (page) => page.clients,
  filters: deletedFilter,
  request: showDeleted,
  columns: [
    {
      title: 'Name',
      orderBy: 'name',
      cell: ({ id, name }) => (
        <TextLink to="/clients/$clientId" params={{ clientId: id }}>
          {name}
        </TextLink>
      ),
    },
    {
      title: 'Client ID',
      cell: ({ id }) => <CopyableText text={id} label={`client ID ${id}`} isShort />,
    },
    { title: 'Scopes', cell: ({ scopes }) => <ScopesCell scopes={scopes} /> },
    { title: 'State', isPlain: true, cell: EnabledBadge },
    createdColumn<Client>(),
  ],
});

export function ClientsScreen() {
  return (
    <ListScreen
      list={useList(clients, {})}
      about="Services that get access tokens with a client ID and a secret."
      create={<CreateClientDialog />}
      empty={{
        title: 'No clients yet',
        text: 'Create one for each service that needs tokens.',
        icon: IconServer,
      }}
      emptyText="You don’t have permission to create clients."
    />
  );
}

ClientsScreen.reads = [clients];

function CreateClientDialog() {
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
      <NameField required {...form.getInputProps('name')} />
      <ClientScopesField {...form.getInputProps('scopes')} value={form.values.scopes} />
      <FoldedFields label="Token settings">
        <Stack mt="xs">
          <TokenFields form={form} scopes={form.values.scopes} isNew />
        </Stack>
      </FoldedFields>
    </FormDialog>
  );
}
