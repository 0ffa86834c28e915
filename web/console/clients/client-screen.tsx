import { useQuery } from '@connectrpc/connect-query';
import { useParams } from '@tanstack/react-router';
import { type Client, ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { AuditLinks } from '../shared/audit-links.tsx';
import { CopyableText } from '../shared/copyable-text.tsx';
import { historyFacts } from '../shared/creation.tsx';
import { EnabledBadge } from '../shared/enabled-badge.tsx';
import { ExpandableList } from '../shared/expandable-list.tsx';
import { Facts } from '../shared/facts.tsx';
import { QueryResult } from '../shared/query-result.tsx';
import { Screen } from '../shared/screen.tsx';
import { UsageSection } from '../usage/usage-section.tsx';
import { ClientActions } from './client-actions.tsx';
import { ClientIdentities } from './client-identities.tsx';
import { ClientKeys } from './client-keys.tsx';
import { ClientSecrets } from './client-secrets.tsx';
import { ClientSubjects } from './client-subjects.tsx';
import { ClientTokens } from './client-tokens.tsx';

export function ClientScreen() {
  const { clientId } = useParams({ from: '/shell/clients/$clientId' });
  const mayWrite = useHasScope()('clients:write');
  const query = useQuery(ClientService.method.getClient, { clientId });
  const client = query.data?.client;
  const mayChange = mayWrite && client !== undefined;
  return (
    <Screen
      title={client?.name}
      actions={mayChange ? <ClientActions client={client} /> : undefined}
    >
      <QueryResult value={client} query={query} label="client">
        {(found) => (
          <>
            <ClientFacts {...found} />
            <AuditLinks id={found.id} />
            <ClientSections client={found} mayChange={mayWrite && found.deleteTime === undefined} />
          </>
        )}
      </QueryResult>
    </Screen>
  );
}

ClientScreen.reads = [ClientService.method.getClient];

type ClientSectionsProps = { readonly client: Client; readonly mayChange: boolean };

/** The credentials come first: they show whether the client works and when it stops. */
function ClientSections({ client, mayChange }: ClientSectionsProps) {
  return (
    <>
      {mayChange ? (
        <>
          <ClientSecrets client={client} />
          <ClientKeys client={client} />
          <ClientIdentities client={client} />
        </>
      ) : null}
      <ClientTokens client={client} mayChange={mayChange} />
      {mayChange ? <ClientSubjects client={client} /> : null}
      <UsageSection id={client.id} />
    </>
  );
}

function ClientFacts(client: Client) {
  const { id, scopes, disableTime, tlsClientAuthSanUri, tlsClientAuthSanDns } = client;
  const certificate = tlsClientAuthSanUri || tlsClientAuthSanDns;
  return (
    <Facts
      facts={[
        { name: 'Client ID', value: <CopyableText text={id} label="client ID" /> },
        {
          name: 'State',
          value: <EnabledBadge disableTime={disableTime} deleteTime={client.deleteTime} isFull />,
        },
        {
          name: 'Scopes',
          value:
            scopes.length === 0 ? (
              'None. The client can’t get tokens.'
            ) : (
              <ExpandableList items={scopes} />
            ),
        },
        certificate !== '' && {
          name: 'Certificate',
          value: <CopyableText text={certificate} label="name in the certificate" />,
        },
        ...historyFacts(client),
      ]}
    />
  );
}
