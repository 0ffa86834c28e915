import { Checkbox, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type Client, ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { AudienceField, validateAudiences } from '../audiences/audience-field.tsx';
import { useHasScope } from '../session/session-context.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { JsonField, parseJsonField } from '../shared/json-field.tsx';
import { ScopesSubsetField } from '../shared/scopes/scopes-field.tsx';
import { useMethod } from '../shared/use-method.ts';

type TokenValues = {
  audienceIds: string[];
  /** Empty for the default. */
  tokenSeconds: string;
  defaultScopes: string[];
  /** JSON; empty for none. */
  claims: string;
  boundTokens: boolean;
};

/** The fields of the request. */
const paths: Readonly<Record<keyof TokenValues, string>> = {
  audienceIds: 'audience_ids',
  tokenSeconds: 'token_seconds',
  defaultScopes: 'default_scopes',
  claims: 'claims',
  boundTokens: 'bound_tokens',
};

export function ChangeTokenSettingsDialog({ client }: { readonly client: Client }) {
  const update = useMethod(ClientService.method.updateClient);
  const mayListAudiences = useHasScope()('audiences:read');
  const initialValues = valuesOf(client);
  const form = useForm({
    initialValues,
    validate: { audienceIds: validateAudiences, tokenSeconds: validateSeconds },
  });
  const { audienceIds, defaultScopes } = form.values;
  return (
    <FormDialog
      title="Change token settings"
      label="Save"
      done="Token settings saved"
      form={form}
      submit={async (values) => {
        const changed = changedPaths(values, initialValues);
        // An empty mask would mean every field that has a value.
        if (changed.length === 0) return;
        await update({
          clientId: client.id,
          etag: client.etag,
          ...requestOf(values),
          updateMask: { paths: changed },
        });
      }}
    >
      {mayListAudiences ? (
        <AudienceField {...form.getInputProps('audienceIds')} value={audienceIds} />
      ) : null}
      <TextInput
        label="Lifetime in seconds"
        description="1 to 3,600. Leave empty for the default of this server."
        inputMode="numeric"
        maxLength={5}
        {...form.getInputProps('tokenSeconds')}
      />
      {client.scopes.length === 0 ? null : (
        <ScopesSubsetField
          label="Default scopes"
          description="For token requests that name no scopes. Choose from those of the client."
          scopes={client.scopes}
          {...form.getInputProps('defaultScopes')}
          value={defaultScopes}
        />
      )}
      <JsonField
        label="Claims"
        description="A JSON object. Its members become claims of each token. Empty for none."
        placeholder='{"tenant": "acme"}'
        rows={4}
        {...form.getInputProps('claims')}
      />
      <Checkbox
        label="Bind each token to a key"
        description={
          'A token request needs a DPoP proof or a client certificate. A stolen token doesn’t ' +
          'work without the key.'
        }
        {...form.getInputProps('boundTokens', { type: 'checkbox' })}
      />
    </FormDialog>
  );
}

function valuesOf(client: Client): TokenValues {
  const { audienceIds, tokenSeconds, defaultScopes, claims, boundTokens } = client;
  return {
    audienceIds,
    tokenSeconds: tokenSeconds === 0 ? '' : String(tokenSeconds),
    defaultScopes,
    claims: claims === undefined ? '' : JSON.stringify(claims, undefined, 2),
    boundTokens,
  };
}

/** The service checks the maximum. */
function validateSeconds(text: string): string | null {
  return /^(?:[1-9]\d*)?$/.test(text) ? null : 'Enter a number of seconds, or nothing.';
}

function requestOf({ tokenSeconds, claims, ...values }: TokenValues) {
  const hasClaims = claims.trim() !== '';
  return {
    ...values,
    tokenSeconds: Number(tokenSeconds),
    ...(hasClaims ? { claims: parseJsonField('claims', claims) } : {}),
  };
}

function changedPaths(values: TokenValues, before: TokenValues): string[] {
  const names = Object.keys(paths) as (keyof TokenValues)[];
  return names
    .filter((name) => JSON.stringify(values[name]) !== JSON.stringify(before[name]))
    .map((name) => paths[name]);
}
