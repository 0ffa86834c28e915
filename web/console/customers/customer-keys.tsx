import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { type ApiKey, CustomerService } from '../../../gen/latchkey/identity/v1/customer_pb.js';
import { useAct } from '../parts/act.ts';
import { keyTokenCommand } from '../parts/commands.ts';
import { customerTokenLife, elsewhereText, nameOf } from '../parts/credentials/credential.ts';
import { CredentialsTable } from '../parts/credentials/credentials-table.tsx';
import { RotateKeyDialog } from '../parts/credentials/rotate-key-dialog.tsx';
import { useDialogs } from '../parts/dialogs.tsx';
import { isolated } from '../parts/isolated.tsx';
import { usePaged } from '../parts/paged.ts';
import { Section } from '../parts/section.tsx';
import { CreateCustomerKeyDialog } from './create-customer-key-dialog.tsx';

/** The API keys of a customer, for somebody who may change them: no others may list them. */
export function CustomerKeys({ customerId }: { readonly customerId: string }) {
  const list = usePaged(CustomerService.method.listApiKeys, { customerId }, (page) => page.keys);
  const [isOpen, { open, close }] = useDisclosure(false);
  const [rotated, setRotated] = useState<ApiKey>();
  const rotate = useAct(CustomerService.method.rotateApiKey);
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
          text: 'Create one, and hand it to the customer: it exchanges it for tokens.',
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
  const revoke = useAct(CustomerService.method.revokeApiKey);
  return (key: ApiKey) =>
    confirm({
      title: `Revoke ${isolated(nameOf(key))}?`,
      consequence:
        'The key gets no more tokens, and those that it has got are refused at once. ' +
        `${elsewhereText(customerTokenLife)} This cannot be undone.`,
      label: 'Revoke',
      act: () => revoke({ customerId, keyId: key.id }),
    });
}
