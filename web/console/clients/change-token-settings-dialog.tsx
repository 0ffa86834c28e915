import { useForm } from '@mantine/form';
import { type Client, ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { FormDialog } from '../shared/form-dialog.tsx';
import { useMethod } from '../shared/use-method.ts';
import {
  TokenFields,
  type TokenValues,
  tokenRequestOf,
  validateTokenValues,
} from './token-fields.tsx';

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
  const initialValues = valuesOf(client);
  const form = useForm({ initialValues, validate: validateTokenValues });
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
          ...tokenRequestOf(values),
          updateMask: { paths: changed },
        });
      }}
    >
      <TokenFields form={form} scopes={client.scopes} />
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

function changedPaths(values: TokenValues, before: TokenValues): string[] {
  const names = Object.keys(paths) as (keyof TokenValues)[];
  return names
    .filter((name) => JSON.stringify(values[name]) !== JSON.stringify(before[name]))
    .map((name) => paths[name]);
}
