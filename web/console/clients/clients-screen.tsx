import { Button } from '@mantine/core';
import { IconServer } from '@tabler/icons-react';
import { type Client, ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { CopyableText } from '../shared/copyable-text.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { EnabledBadge } from '../shared/enabled-badge.tsx';
import { type Column, isEmptyList, Listing } from '../shared/listing.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { ScopesCell } from '../shared/scopes-cell.tsx';
import { Screen } from '../shared/screen.tsx';
import { useCreateDialog } from '../shared/use-create-dialog.ts';
import { usePagedList } from '../shared/use-paged-list.ts';
import { CreateClientDialog } from './create-client-dialog.tsx';

const columns: readonly Column<Client>[] = [
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
  {
    title: 'State',
    isPlain: true,
    cell: ({ disableTime }) => <EnabledBadge disableTime={disableTime} />,
  },
  {
    title: 'Created',
    orderBy: 'create_time',
    isNewestFirst: true,
    cell: ({ createTime }) => <DateTime time={createTime} />,
  },
];

export function ClientsScreen() {
  const mayWrite = useHasScope()('clients:write');
  const [isOpen, { open, close }] = useCreateDialog();
  const list = usePagedList(ClientService.method.listClients, {}, (page) => page.clients);
  const button = mayWrite ? <Button onClick={open}>Create client</Button> : undefined;
  return (
    <Screen
      title="Clients"
      about="Services that get access tokens with a client ID and a secret."
      actions={isEmptyList(list) ? undefined : button}
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
          icon: IconServer,
          action: button,
        }}
      />
      <CreateClientDialog isOpen={isOpen} close={close} />
    </Screen>
  );
}
