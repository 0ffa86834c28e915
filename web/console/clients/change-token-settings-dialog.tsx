import { useForm } from '@mantine/form';
import { type Client, ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { FormDialog } from '../shared/form-dialog.tsx';
import { editedPaths } from '../shared/update-mask.ts';
import { useMethod } from '../shared/use-method.ts';
import {
  TokenFields,
  type TokenValues,
  tokenRequestOf,
  validateTokenValues,
} from './token-fields.tsx';

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
        const paths = editedPaths(values, initialValues);
        if (paths.length === 0) return;
        const { id: clientId, etag } = client;
        await update({ clientId, etag, ...tokenRequestOf(values), updateMask: { paths } });
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
