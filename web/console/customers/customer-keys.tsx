import { Button } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import { type ApiKey, CustomerService } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import {
  customerTokenLifetime,
  offlineVerificationNote,
} from '../shared/credentials/credential.ts';
import { CredentialActions, credentialColumns } from '../shared/credentials/credential-columns.tsx';
import { CreateKeyDialog } from '../shared/credentials/key-dialogs.tsx';
import { keyTokenCommand } from '../shared/curl-commands.ts';
import { useDialogs } from '../shared/dialogs.tsx';
import { defineList, useList } from '../shared/lists/define-list.ts';
import { Listing } from '../shared/lists/listing.tsx';
import { useAreasInUse } from '../shared/scopes/use-areas-in-use.ts';
import { Section } from '../shared/section.tsx';
import { useMethod } from '../shared/use-method.ts';

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
  const rotate = useMethod(CustomerService.method.rotateApiKey);
  const revoke = useMethod(CustomerService.method.revokeApiKey);
  const at = { customerId, keyId: key.id };
  return (
    <CredentialActions
      credential={key}
      consequence={
        'The key can’t get new tokens, and its existing tokens are rejected immediately. ' +
        offlineVerificationNote(customerTokenLifetime)
      }
      revoke={() => revoke(at)}
      rotation={{
        rotate: (overlapSeconds) => rotate({ ...at, overlapSeconds }),
        commandOf: keyTokenCommand,
      }}
    />
  );
}

/** Of the management scopes, customers can have only these. */
const areas = ['accounts'];

const describe = (scope: string) =>
  scope === 'accounts:read'
    ? 'Lists the accounts of the customer.'
    : 'Permits nothing in Latchkey. It is for services that check tokens.';

type CreateCustomerKeyDialogProps = {
  readonly customerId: string;
  /** The scopes of the customer’s other keys. */
  readonly scopesInUse: readonly string[];
};

function CreateCustomerKeyDialog(props: CreateCustomerKeyDialogProps) {
  const { customerId, scopesInUse } = props;
  const create = useMethod(CustomerService.method.createApiKey);
  const areasInUse = useAreasInUse(scopesInUse);
  return (
    <CreateKeyDialog
      create={(key) => create({ customerId, ...key })}
      commandOf={keyTokenCommand}
      name={{ description: 'Optional. Helps you recognize the key later.' }}
      scopes={{ areas, canGrant: () => true, describe, areasInUse }}
    />
  );
}
