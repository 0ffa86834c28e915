import { fromJson, type JsonObject } from '@bufbuild/protobuf';
import { Button } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconCertificate } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import {
  type Client,
  type ClientKey,
  ClientService,
  PublicJwkSchema,
} from '../../../gen/latchkey/identity/v1/client_pb.js';
import { CopyableText } from '../shared/copyable-text.tsx';
import { CredentialActions, credentialColumns } from '../shared/credentials/credential-columns.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { ExpiryField, parseExpireTime } from '../shared/expiry-field.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { CodeArea, invalidField, parseJsonField } from '../shared/json-field.tsx';
import { defineList, useList } from '../shared/lists/define-list.ts';
import { Listing } from '../shared/lists/listing.tsx';
import { NameField } from '../shared/name-dialog.tsx';
import { Section } from '../shared/section.tsx';
import { useMethod } from '../shared/use-method.ts';

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

function AddKeyDialog({ clientId }: { readonly clientId: string }) {
  const create = useMethod(ClientService.method.createClientKey);
  const form = useForm({ initialValues: { name: '', jwk: '', expireTime: '' } });
  return (
    <FormDialog
      title="Add key"
      label="Add"
      done="Key added"
      form={form}
      submit={async ({ name, jwk, expireTime }) =>
        create({
          clientId,
          name,
          jwk: readPublicJwk(parseJsonField('jwk', jwk)),
          ...parseExpireTime(expireTime),
        })
      }
    >
      <NameField
        description="Optional. For example, where the private key is."
        {...form.getInputProps('name')}
      />
      <CodeArea
        label="Public key"
        description="A JWK: Ed25519, P-256, or RSA with 2048 to 4096 bits."
        required
        placeholder='{"kty": "OKP", "crv": "Ed25519", "x": "…"}'
        {...form.getInputProps('jwk')}
      />
      <ExpiryField {...form.getInputProps('expireTime')} />
    </FormDialog>
  );
}

/** A private key must not leave the browser. */
function readPublicJwk(jwk: JsonObject) {
  if (['d', 'p', 'q', 'k'].some((name) => Object.hasOwn(jwk, name))) {
    throw invalidField('jwk', 'This is a private key. It was not sent. Enter the public key.');
  }
  try {
    return fromJson(PublicJwkSchema, jwk, { ignoreUnknownFields: true });
  } catch {
    throw invalidField('jwk', 'Enter a JWK, whose members are texts.');
  }
}
