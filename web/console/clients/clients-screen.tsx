import { IconServer } from '@tabler/icons-react';
import { type Client, ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { CopyableText } from '../shared/copyable-text.tsx';
import { createdColumn } from '../shared/creation.tsx';
import { EnabledBadge } from '../shared/enabled-badge.tsx';
import { defineList, useList } from '../shared/lists/define-list.ts';
import { deletedFilter, showDeleted } from '../shared/lists/deleted-filter.ts';
import { ListScreen } from '../shared/lists/list-screen.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { ScopesCell } from '../shared/scopes-cell.tsx';
import { CreateClientDialog } from './create-client-dialog.tsx';

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
