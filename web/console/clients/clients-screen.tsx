import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type Client, ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { EnabledBadge } from '../shared/enabled-badge.tsx';
import { type Column, Listing } from '../shared/listing.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { ScopesCell } from '../shared/scopes-cell.tsx';
import { Screen } from '../shared/screen.tsx';
import { usePagedList } from '../shared/use-paged-list.ts';
import { CreateClientDialog } from './create-client-dialog.tsx';

const columns: readonly Column<Client>[] = [
  {
    title: 'Name',
    cell: ({ id, name }) => (
      <TextLink to="/clients/$clientId" params={{ clientId: id }}>
        {name}
      </TextLink>
    ),
  },
  { title: 'Client ID', cell: ({ id }) => <span className="mono">{id}</span> },
  { title: 'Scopes', cell: ({ scopes }) => <ScopesCell scopes={scopes} /> },
  { title: 'State', cell: ({ disableTime }) => <EnabledBadge disableTime={disableTime} /> },
  { title: 'Created', cell: ({ createTime }) => <DateTime time={createTime} /> },
];

export function ClientsScreen() {
  const mayWrite = useHasScope()('clients:write');
  const [isOpen, { open, close }] = useDisclosure(false);
  const list = usePagedList(ClientService.method.listClients, {}, (page) => page.clients);
  return (
    <Screen
      title="Clients"
      about="Services that get access tokens with a client ID and a secret."
      actions={mayWrite ? <Button onClick={open}>Create client</Button> : undefined}
    >
      <Listing
        label="Clients"
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        empty={{
          title: 'No clients yet',
          text: mayWrite
            ? 'Create one for each service that needs tokens.'
            : 'You don’t have permission to create clients.',
        }}
      />
      <CreateClientDialog isOpen={isOpen} close={close} />
    </Screen>
  );
}
