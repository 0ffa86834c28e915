import { useQuery } from '@connectrpc/connect-query';
import { Button, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconChartBar, IconCloudLock, IconTrash } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import {
  type Client,
  ClientService,
  type FederatedIdentity,
} from '../../../gen/latchkey/identity/v1/client_pb.js';
import {
  type TrustedIssuer,
  TrustedIssuerService,
} from '../../../gen/latchkey/identity/v1/trusted_issuer_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { createdByColumn, createdColumn } from '../shared/creation.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { CodeArea, invalidField } from '../shared/json-field.tsx';
import { defineList, useList } from '../shared/lists/define-list.ts';
import { Listing } from '../shared/lists/listing.tsx';
import { RowMenu } from '../shared/lists/row-menu.tsx';
import { ResourceLink } from '../shared/resource-link.tsx';
import { SearchSelect } from '../shared/search-select.tsx';
import { Section } from '../shared/section.tsx';
import { shortId } from '../shared/short-id.ts';
import { useMethod } from '../shared/use-method.ts';
import { useUsageDrawer } from '../usage/usage-drawer.tsx';

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

const issuers = defineList({
  label: 'Trusted issuers',
  method: TrustedIssuerService.method.listTrustedIssuers,
  rows: (page) => page.trustedIssuers,
  name: 'issuers',
  columns: [],
});

function AddIdentityDialog({ clientId }: { readonly clientId: string }) {
  const list = useList(issuers, {});
  const [issuer, setIssuer] = useState<TrustedIssuer>();
  const create = useMethod(ClientService.method.createFederatedIdentity);
  const form = useForm({ initialValues: { issuerId: '', subject: '', claims: '' } });
  return (
    <FormDialog
      title="Add federated identity"
      label="Add"
      done="Federated identity added"
      form={form}
      submit={async ({ subject, claims }) => {
        if (issuer === undefined) throw invalidField('issuer_id', 'is required');
        await create({ clientId, issuerId: issuer.id, subject, claims: readClaims(claims) });
      }}
    >
      <SearchSelect
        label="Trusted issuer"
        required
        data-autofocus
        list={list}
        chosen={issuer}
        choose={setIssuer}
        idOf={({ id }) => id}
        labelOf={labelOf}
        nothingFoundMessage="No trusted issuers. Create one first."
        error={form.errors.issuerId}
        data-path="issuerId"
      />
      <TextInput
        label="Subject"
        description="The sub of its tokens. * stands for a part without “/” and “:”."
        placeholder="repo:octo-org/octo-repo:environment:production"
        required
        maxLength={255}
        spellCheck={false}
        autoCapitalize="none"
        classNames={{ input: 'mono' }}
        {...form.getInputProps('subject')}
      />
      <CodeArea
        label="Other claims"
        description="Optional. One per line, such as repository_owner_id=65."
        rows={3}
        {...form.getInputProps('claims')}
      />
    </FormDialog>
  );
}

/** Unique, because several issuers may have the same name. */
function labelOf({ id, name, issuer }: TrustedIssuer): string {
  return `${name || issuer} (${shortId(id)})`;
}

function readClaims(text: string): Record<string, string> {
  const lines = text.split('\n').map((line) => line.trim());
  const entries = lines
    .filter((line) => line !== '')
    .map((line): [string, string] => {
      const at = line.indexOf('=');
      if (at < 1) throw invalidField('claims', 'Write each line as name=value.');
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    });
  return Object.fromEntries(entries);
}
