import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { type ApiKey, CustomerService } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import {
  credentialName,
  customerTokenLifetime,
  offlineVerificationNote,
} from '../shared/credentials/credential.ts';
import { CredentialsTable } from '../shared/credentials/credentials-table.tsx';
import { RotateKeyDialog } from '../shared/credentials/rotate-key-dialog.tsx';
import { keyTokenCommand } from '../shared/curl-commands.ts';
import { useDialogs } from '../shared/dialogs.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { Section } from '../shared/section.tsx';
import { useMethod } from '../shared/use-method.ts';
import { usePagedList } from '../shared/use-paged-list.ts';
import { CreateCustomerKeyDialog } from './create-customer-key-dialog.tsx';

/** Shown only to users with `customers:write`, which listing keys requires. */
export function CustomerKeys({ customerId }: { readonly customerId: string }) {
  const list = usePagedList(
    CustomerService.method.listApiKeys,
    { customerId },
    (page) => page.keys,
  );
  const [isOpen, { open, close }] = useDisclosure(false);
  const [rotated, setRotated] = useState<ApiKey>();
  const rotate = useMethod(CustomerService.method.rotateApiKey);
  const askToRevoke = useAskToRevoke(customerId);
  return (
    <Section title="API keys" actions={<Button onClick={open}>Create API key</Button>}>
      <CredentialsTable
        label="API keys"
        list={list}
        hasScopes
        rotate={setRotated}
        revoke={askToRevoke}
        empty={{
          title: 'No API keys yet',
          text: 'Create one for the customer, who exchanges it for access tokens.',
        }}
      />
      <CreateCustomerKeyDialog customerId={customerId} isOpen={isOpen} close={close} />
      <RotateKeyDialog
        old={rotated}
        close={() => setRotated(undefined)}
        rotate={(keyId, overlapSeconds) => rotate({ customerId, keyId, overlapSeconds })}
        commandOf={keyTokenCommand}
      />
    </Section>
  );
}

function useAskToRevoke(customerId: string) {
  const { confirm } = useDialogs();
  const revoke = useMethod(CustomerService.method.revokeApiKey);
  return (key: ApiKey) =>
    confirm({
      title: `Revoke ${isolateName(credentialName(key))}?`,
      consequence:
        'The key can’t get new tokens, and its existing tokens are rejected immediately. ' +
        `${offlineVerificationNote(customerTokenLifetime)} You can’t undo this.`,
      label: 'Revoke',
      run: () => revoke({ customerId, keyId: key.id }),
    });
}
