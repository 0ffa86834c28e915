import { Radio, Stack, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { CodeArea } from '../shared/json-field.tsx';
import type { KeySource, KeySourceValues } from './key-source.ts';

export type IssuerValues = KeySourceValues & {
  readonly name: string;
  readonly audience: string;
};

const sources: readonly {
  readonly value: KeySource;
  readonly label: string;
  readonly description: string;
}[] = [
  {
    value: 'discovery',
    label: 'Found by discovery',
    description: 'Latchkey reads them from the issuer every 10 minutes (OpenID Connect).',
  },
  { value: 'url', label: 'Read from a URL', description: 'Latchkey reads it every 10 minutes.' },
  {
    value: 'pinned',
    label: 'Pinned',
    description: 'You enter them here, for example for an issuer in a private network.',
  },
];

/** The fields of a trusted issuer that can be changed. */
export function IssuerFields({ form }: { readonly form: UseFormReturnType<IssuerValues> }) {
  const { source } = form.values;
  return (
    <>
      <TextInput
        label="Name"
        description="Optional. For example, GitHub Actions."
        maxLength={255}
        {...form.getInputProps('name')}
      />
      <TextInput
        label="Audience"
        description="The aud of its tokens. Leave empty for the address of this service."
        maxLength={255}
        spellCheck={false}
        autoCapitalize="none"
        {...form.getInputProps('audience')}
      />
      <Radio.Group label="Keys" {...form.getInputProps('source')}>
        <Stack gap="xs" mt={6}>
          {sources.map((radio) => (
            <Radio key={radio.value} {...radio} />
          ))}
        </Stack>
      </Radio.Group>
      {source === 'url' ? (
        <TextInput
          label="URL of the keys"
          required
          maxLength={2048}
          placeholder="https://issuer.example.com/jwks"
          spellCheck={false}
          autoCapitalize="none"
          {...form.getInputProps('jwksUri')}
        />
      ) : null}
      {source === 'pinned' ? (
        <CodeArea
          label="JWK set"
          required
          placeholder='{"keys": [{"kty": "RSA", "kid": "…", "n": "…", "e": "AQAB"}]}'
          {...form.getInputProps('jwks')}
        />
      ) : null}
    </>
  );
}
