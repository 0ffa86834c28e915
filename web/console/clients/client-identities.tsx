import { useQuery } from '@connectrpc/connect-query';
import { Button, Text } from '@mantine/core';
import { IconChartBar, IconCloudLock, IconTrash } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import {
  type Client,
  ClientService,
  type FederatedIdentity,
} from '../../../gen/latchkey/identity/v1/client_pb.js';
import { TrustedIssuerService } from '../../../gen/latchkey/identity/v1/trusted_issuer_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { createdByColumn, createdColumn } from '../shared/creation.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { defineList, useList } from '../shared/lists/define-list.ts';
import { Listing } from '../shared/lists/listing.tsx';
import { RowMenu } from '../shared/lists/row-menu.tsx';
import { ResourceLink } from '../shared/resource-link.tsx';
import { Section } from '../shared/section.tsx';
import { useMethod } from '../shared/use-method.ts';
import { useUsageDrawer } from '../usage/usage-drawer.tsx';
import { AddIdentityDialog } from './add-identity-dialog.tsx';

const identities = defineList({
  label: 'Federated identities',
  method: ClientService.method.listFederatedIdentities,
  rows: (page) => page.federatedIdentities,
  name: 'identities',
  columns: [
    {
      title: 'Subject',
      orderBy: 'subject',
      isFree: true,
      cell: ({ subject }) => <span className="mono">{subject}</span>,
    },
    { title: 'Issuer', cell: ({ issuerId }) => <Issuer id={issuerId} /> },
    {
      title: 'Other claims',
      isFree: true,
      isAbsent: ({ claims }) => Object.keys(claims).length === 0,
      cell: ({ claims }) => <Claims claims={claims} />,
    },
    { title: 'Last used', cell: ({ lastUsedTime }) => <DateTime time={lastUsedTime} /> },
    createdColumn<FederatedIdentity>({ isMinor: true }),
    createdByColumn<FederatedIdentity>(),
    {
      title: 'Actions',
      isTitleHidden: true,
      scope: 'clients:write',
      cell: (identity) => <Actions identity={identity} />,
    },
  ],
});

export function ClientIdentities({ client }: { readonly client: Client }) {
  const list = useList(identities, { clientId: client.id });
  const { open } = useDialogs();
  const maySeeIssuers = useHasScope()('trusted_issuers:read');
  return (
    <Section
      title="Federated identities"
      actions={
        maySeeIssuers ? (
          <Button
            variant="default"
            onClick={() => open(<AddIdentityDialog clientId={client.id} />)}
          >
            Add identity
          </Button>
        ) : undefined
      }
    >
      <Listing
        list={list}
        empty={{
          title: 'No federated identities',
          text: 'With one, a CI job or a pod acts as the client and stores no secret.',
          icon: IconCloudLock,
        }}
      />
    </Section>
  );
}

function Claims({ claims }: Pick<FederatedIdentity, 'claims'>) {
  const text = Object.entries(claims).map(([name, pattern]) => `${name}=${pattern}`);
  return (
    <Text component="span" size="sm" className="mono">
      {text.join(', ')}
    </Text>
  );
}

function Issuer({ id: issuerId }: { readonly id: string }) {
  const enabled = useHasScope()('trusted_issuers:read');
  const { data } = useQuery(
    TrustedIssuerService.method.getTrustedIssuer,
    { issuerId },
    { enabled },
  );
  const issuer = data?.trustedIssuer;
  return <ResourceLink id={issuerId} name={issuer?.name || issuer?.issuer || ''} />;
}

function Actions({ identity }: { readonly identity: FederatedIdentity }) {
  const { clientId = '' } = useParams({ strict: false });
  const { confirm } = useDialogs();
  const showUsage = useUsageDrawer(identity.id, identity.subject);
  const remove = useMethod(ClientService.method.deleteFederatedIdentity);
  const ask = () =>
    confirm({
      title: `Delete “${isolateName(identity.subject)}”?`,
      consequence:
        'The workload can’t get new tokens. Existing tokens remain valid until they expire; to ' +
        'reject them as well, disable the client.',
      label: 'Delete',
      done: 'Federated identity deleted',
      run: () => remove({ clientId, identityId: identity.id }),
    });
  return (
    <RowMenu
      name={identity.subject}
      actions={[
        showUsage !== undefined && { label: 'Usage', icon: IconChartBar, run: showUsage },
        { label: 'Delete', icon: IconTrash, run: ask },
      ]}
    />
  );
}
