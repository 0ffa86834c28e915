import { Button } from '@mantine/core';
import { IconCertificate } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import {
  type Client,
  type ClientKey,
  ClientService,
} from '../../../gen/latchkey/identity/v1/client_pb.js';
import { CopyableText } from '../shared/copyable-text.tsx';
import { CredentialActions, credentialColumns } from '../shared/credentials/credential-columns.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { defineList, useList } from '../shared/lists/define-list.ts';
import { Listing } from '../shared/lists/listing.tsx';
import { Section } from '../shared/section.tsx';
import { useMethod } from '../shared/use-method.ts';
import { AddKeyDialog } from './add-key-dialog.tsx';

/** By the `kty` of a JWK. */
const keyTypes: Readonly<Record<string, string>> = { OKP: 'Ed25519', EC: 'P-256', RSA: 'RSA' };

const keys = defineList({
  label: 'Keys',
  method: ClientService.method.listClientKeys,
  rows: (page) => page.keys,
  name: 'keys',
  columns: credentialColumns<ClientKey>({
    more: [
      { title: 'Type', isPlain: true, cell: ({ jwk }) => keyTypes[jwk?.kty ?? ''] ?? '—' },
      {
        title: 'Thumbprint',
        isMinor: true,
        cell: ({ thumbprint }) => <CopyableText text={thumbprint} label="thumbprint" isShort />,
      },
    ],
    actions: (key) => <Actions clientKey={key} />,
    scope: 'clients:write',
  }),
});

export function ClientKeys({ client }: { readonly client: Client }) {
  const list = useList(keys, { clientId: client.id });
  const { open } = useDialogs();
  return (
    <Section
      title="Keys"
      actions={
        <Button variant="default" onClick={() => open(<AddKeyDialog clientId={client.id} />)}>
          Add key
        </Button>
      }
    >
      <Listing
        list={list}
        empty={{
          title: 'No keys',
          text: 'With a key pair, the client signs its requests and sends no secret.',
          icon: IconCertificate,
        }}
      />
    </Section>
  );
}

function Actions({ clientKey }: { readonly clientKey: ClientKey }) {
  const { clientId = '' } = useParams({ strict: false });
  const revoke = useMethod(ClientService.method.revokeClientKey);
  return (
    <CredentialActions
      credential={clientKey}
      consequence={
        'The client can’t get new tokens with the key. Existing tokens remain valid until they ' +
        'expire; to reject them as well, disable the client.'
      }
      done="Key revoked"
      revoke={() => revoke({ clientId, keyId: clientKey.id })}
    />
  );
}
