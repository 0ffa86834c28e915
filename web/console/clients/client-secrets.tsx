import { Button } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import {
  type Client,
  type ClientSecret,
  ClientService,
} from '../../../gen/latchkey/identity/v1/client_pb.js';
import { CredentialActions, credentialColumns } from '../shared/credentials/credential-columns.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { defineList, useList } from '../shared/lists/define-list.ts';
import { Listing } from '../shared/lists/listing.tsx';
import { Section } from '../shared/section.tsx';
import { useMethod } from '../shared/use-method.ts';
import { CreateSecretDialog, RotateSecretDialog } from './secret-dialogs.tsx';

const secrets = defineList({
  label: 'Secrets',
  method: ClientService.method.listClientSecrets,
  rows: (page) => page.secrets,
  columns: credentialColumns<ClientSecret>({
    actions: (secret) => <Actions secret={secret} />,
    scope: 'clients:write',
  }),
});

/** Shown only to users with `clients:write`, which listing secrets requires. */
export function ClientSecrets({ client }: { readonly client: Client }) {
  const list = useList(secrets, { clientId: client.id });
  const { open } = useDialogs();
  return (
    <Section
      title="Secrets"
      actions={
        <>
          <Button variant="default" onClick={() => open(<RotateSecretDialog client={client} />)}>
            Rotate
          </Button>
          <Button onClick={() => open(<CreateSecretDialog client={client} />)}>
            Create secret
          </Button>
        </>
      }
    >
      <Listing
        list={list}
        empty={{
          title: 'No secrets',
          text: 'The client needs a secret to get tokens.',
          icon: IconKey,
        }}
      />
    </Section>
  );
}

function Actions({ secret }: { readonly secret: ClientSecret }) {
  const { clientId = '' } = useParams({ strict: false });
  const revoke = useMethod(ClientService.method.revokeClientSecret);
  return (
    <CredentialActions
      credential={secret}
      consequence={
        'The secret can’t be used to get new tokens. Existing tokens remain valid until they ' +
        'expire; to reject them as well, disable the client.'
      }
      revoke={() => revoke({ clientId, secretId: secret.id })}
    />
  );
}
