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

/** The secrets of a client, for somebody who may change them: no others may list them. */
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
        empty={{ title: 'No secrets', text: 'Create one: without it the client gets no token.' }}
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
        'Whatever uses this secret gets no more tokens. Tokens that it has got already are the ' +
        'client’s, and stay good until they expire; to stop them, too, disable the client until ' +
        'then. This cannot be undone.',
      label: 'Revoke',
      run: () => revoke({ clientId, secretId: secret.id }),
    });
}
