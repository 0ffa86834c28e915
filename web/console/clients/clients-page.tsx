import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type Client, ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { Able } from '../parts/able.tsx';
import { TextLink } from '../parts/link.tsx';
import { type Column, Listing } from '../parts/listing.tsx';
import { Page } from '../parts/page.tsx';
import { usePaged } from '../parts/paged.ts';
import { Scopes } from '../parts/scopes.tsx';
import { When } from '../parts/when.tsx';
import { useHasScope } from '../session/context.tsx';
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
  { title: 'Client id', cell: ({ id }) => <span className="mono">{id}</span> },
  { title: 'Scopes', cell: ({ scopes }) => <Scopes scopes={scopes} /> },
  { title: 'State', cell: ({ disableTime }) => <Able disableTime={disableTime} /> },
  { title: 'Created', cell: ({ createTime }) => <When time={createTime} /> },
];

export function ClientsPage() {
  const mayWrite = useHasScope()('clients:write');
  const [isOpen, { open, close }] = useDisclosure(false);
  const list = usePaged(ClientService.method.listClients, {}, (page) => page.clients);
  return (
    <Page
      title="Clients"
      about="A service that asks for tokens in its own name, with its client id and a secret."
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
            ? 'Create one for the first service that needs tokens.'
            : 'Somebody who may change clients can create one.',
        }}
      />
      <CreateClientDialog isOpen={isOpen} close={close} />
    </Page>
  );
}
