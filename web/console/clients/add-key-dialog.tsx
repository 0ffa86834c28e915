import { fromJson, type JsonObject } from '@bufbuild/protobuf';
import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { ClientService, PublicJwkSchema } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { ExpiryField, parseExpireTime } from '../shared/expiry-field.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { CodeArea, invalidField, parseJsonField } from '../shared/json-field.tsx';
import { useMethod } from '../shared/use-method.ts';

export function AddKeyDialog({ clientId }: { readonly clientId: string }) {
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
      <TextInput
        label="Name"
        description="Optional. For example, where the private key is."
        maxLength={255}
        data-autofocus
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
