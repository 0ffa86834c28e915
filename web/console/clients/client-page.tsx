import { useQuery } from '@connectrpc/connect-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { type Client, ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { Able } from '../parts/able.tsx';
import { useAct } from '../parts/act.ts';
import { Copyable } from '../parts/copyable.tsx';
import { Facts } from '../parts/facts.tsx';
import { TextLink } from '../parts/link.tsx';
import { RenameDialog } from '../parts/name-dialog.tsx';
import { One } from '../parts/one.tsx';
import { Page } from '../parts/page.tsx';
import { Some } from '../parts/some.tsx';
import { Traces } from '../parts/traces.tsx';
import { When } from '../parts/when.tsx';
import { useHasScope } from '../session/context.tsx';
import { ChangeScopesDialog } from './change-scopes-dialog.tsx';
import { ClientActions } from './client-actions.tsx';
import { Secrets } from './secrets.tsx';

export function ClientPage() {
  const { clientId } = useParams({ from: '/shell/clients/$clientId' });
  const mayWrite = useHasScope()('clients:write');
  const query = useQuery(ClientService.method.getClient, { clientId });
  const client = query.data?.client;
  const update = useAct(ClientService.method.updateClient);
  const [dialog, setDialog] = useState<'name' | 'scopes'>();
  const close = () => setDialog(undefined);
  const mayChange = mayWrite && client !== undefined;
  return (
    <Page
      title={client?.name ?? 'Client'}
      parent={<TextLink to="/clients">Clients</TextLink>}
      actions={mayChange ? <ClientActions client={client} open={setDialog} /> : undefined}
    >
      <One value={client} query={query} label="client">
        {(found) => (
          <>
            <Known {...found} />
            <Traces id={found.id} noun="client" />
          </>
        )}
      </One>
      {mayChange ? (
        <>
          <RenameDialog
            noun="client"
            name={client.name}
            isOpen={dialog === 'name'}
            close={close}
            submit={(name) => update({ clientId, name, updateMask: { paths: ['name'] } })}
          />
          <ChangeScopesDialog
            key={client.scopes.join(' ')}
            client={client}
            isOpen={dialog === 'scopes'}
            close={close}
          />
          <Secrets client={client} />
        </>
      ) : null}
    </Page>
  );
}

function Known({ id, scopes, createTime, disableTime }: Client) {
  return (
    <Facts
      facts={[
        { name: 'Client id', value: <Copyable text={id} label="client id" /> },
        { name: 'State', value: <Able disableTime={disableTime} isFull /> },
        {
          name: 'Scopes',
          value: scopes.length === 0 ? 'None: it gets no token' : <Some words={scopes} />,
        },
        { name: 'Created', value: <When time={createTime} /> },
      ]}
    />
  );
}
