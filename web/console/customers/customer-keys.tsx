import { Button } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import { type ApiKey, CustomerService } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import {
  credentialName,
  customerTokenLifetime,
  offlineVerificationNote,
} from '../shared/credentials/credential.ts';
import { CredentialActions, credentialColumns } from '../shared/credentials/credential-columns.tsx';
import { RotateKeyDialog } from '../shared/credentials/rotate-key-dialog.tsx';
import { keyTokenCommand } from '../shared/curl-commands.ts';
import { useDialogs } from '../shared/dialogs.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { defineList, useList } from '../shared/lists/define-list.ts';
import { Listing } from '../shared/lists/listing.tsx';
import { Section } from '../shared/section.tsx';
import { useMethod } from '../shared/use-method.ts';
import { useUsageDrawer } from '../usage/usage-drawer.tsx';
import { CreateCustomerKeyDialog } from './create-customer-key-dialog.tsx';

const keys = defineList({
  label: 'API keys',
  method: CustomerService.method.listApiKeys,
  rows: (page) => page.keys,
  columns: credentialColumns<ApiKey>({
    hasScopes: true,
    actions: (key) => <Actions apiKey={key} />,
    scope: 'customers:write',
  }),
});

/** Shown only to users with `customers:write`, which listing keys requires. */
export function CustomerKeys({ customerId }: { readonly customerId: string }) {
  const list = useList(keys, { customerId });
  const { open } = useDialogs();
  const create = () => {
    const scopesInUse = list.rows?.flatMap(({ scopes }) => scopes) ?? [];
    open(<CreateCustomerKeyDialog customerId={customerId} scopesInUse={scopesInUse} />);
  };
  return (
    <Section title="API keys" actions={<Button onClick={create}>Create API key</Button>}>
      <Listing
        list={list}
        empty={{
          title: 'No API keys yet',
          text: 'Create one for the customer, who exchanges it for access tokens.',
          icon: IconKey,
        }}
      />
    </Section>
  );
}

function Actions({ apiKey: key }: { readonly apiKey: ApiKey }) {
  const { customerId = '' } = useParams({ strict: false });
  const { open, confirm } = useDialogs();
  const showUsage = useUsageDrawer(key.id, credentialName(key));
  const rotate = useMethod(CustomerService.method.rotateApiKey);
  const revoke = useMethod(CustomerService.method.revokeApiKey);
  const askToRotate = () =>
    open(
      <RotateKeyDialog
        old={key}
        rotate={(keyId, overlapSeconds) => rotate({ customerId, keyId, overlapSeconds })}
        commandOf={keyTokenCommand}
      />,
    );
  const askToRevoke = () =>
    confirm({
      title: `Revoke ${isolateName(credentialName(key))}?`,
      consequence:
        'The key can’t get new tokens, and its existing tokens are rejected immediately. ' +
        `${offlineVerificationNote(customerTokenLifetime)} You can’t undo this.`,
      label: 'Revoke',
      run: () => revoke({ customerId, keyId: key.id }),
    });
  const actions = { rotate: askToRotate, revoke: askToRevoke, showUsage };
  return <CredentialActions credential={key} {...actions} />;
}
