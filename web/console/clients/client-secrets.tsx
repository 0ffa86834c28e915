import { Button } from '@mantine/core';
import { useState } from 'react';
import {
  type Client,
  type ClientSecret,
  ClientService,
} from '../../../gen/latchkey/identity/v1/client_pb.js';
import { credentialName } from '../shared/credentials/credential.ts';
import { CredentialsTable } from '../shared/credentials/credentials-table.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { Section } from '../shared/section.tsx';
import { useMethod } from '../shared/use-method.ts';
import { usePagedList } from '../shared/use-paged-list.ts';
import { CreateSecretDialog } from './create-secret-dialog.tsx';
import { RotateSecretDialog } from './rotate-secret-dialog.tsx';

/** Shown only to users with `clients:write`, which listing secrets requires. */
export function ClientSecrets({ client }: { readonly client: Client }) {
  const clientId = client.id;
  const list = usePagedList(
    ClientService.method.listClientSecrets,
    { clientId },
    ({ secrets }) => secrets,
  );
  const [dialog, setDialog] = useState<'create' | 'rotate'>();
  const close = () => setDialog(undefined);
  const askToRevoke = useAskToRevoke(clientId);
  return (
    <Section
      title="Secrets"
      actions={
        <>
          <Button variant="default" onClick={() => setDialog('rotate')}>
            Rotate
          </Button>
          <Button onClick={() => setDialog('create')}>Create secret</Button>
        </>
      }
    >
      <CredentialsTable
        label="Secrets"
        list={list}
        revoke={askToRevoke}
        empty={{ title: 'No secrets', text: 'The client needs a secret to get tokens.' }}
      />
      <CreateSecretDialog client={client} isOpen={dialog === 'create'} close={close} />
      <RotateSecretDialog client={client} isOpen={dialog === 'rotate'} close={close} />
    </Section>
  );
}

function useAskToRevoke(clientId: string) {
  const { confirm } = useDialogs();
  const revoke = useMethod(ClientService.method.revokeClientSecret);
  return (secret: ClientSecret) =>
    confirm({
      title: `Revoke ${isolateName(credentialName(secret))}?`,
      consequence:
        'The secret can’t be used to get new tokens. Existing tokens remain valid until they ' +
        'expire; to reject them as well, disable the client. You can’t undo this.',
      label: 'Revoke',
      run: () => revoke({ clientId, secretId: secret.id }),
    });
}
