import { Button } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type Client, ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { AudienceLinks } from '../audiences/audience-links.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { ExpandableList } from '../shared/expandable-list.tsx';
import { Facts } from '../shared/facts.tsx';
import { FormDialog } from '../shared/form-dialog.tsx';
import { Section } from '../shared/section.tsx';
import { pathsOfChanges } from '../shared/update-mask.ts';
import { useMethod } from '../shared/use-method.ts';
import {
  TokenFields,
  type TokenValues,
  tokenRequestOf,
  validateTokenValues,
} from './token-fields.tsx';

type ClientTokensProps = { readonly client: Client; readonly mayChange: boolean };

/** The settings of the client that shape its tokens. */
export function ClientTokens({ client, mayChange }: ClientTokensProps) {
  const { open } = useDialogs();
  const { audienceIds, tokenSeconds, defaultScopes, claims, boundTokens } = client;
  return (
    <Section
      title="Tokens"
      actions={
        mayChange ? (
          <Button
            variant="default"
            onClick={() => open(<ChangeTokenSettingsDialog client={client} />)}
          >
            Change token settings
          </Button>
        ) : undefined
      }
    >
      <Facts
        facts={[
          { name: 'Audiences', value: <AudienceLinks ids={audienceIds} /> },
          { name: 'Lifetime', value: tokenSeconds === 0 ? 'Default' : secondsText(tokenSeconds) },
          {
            name: 'Default scopes',
            value:
              defaultScopes.length === 0 ? (
                'None. A token request must name its scopes.'
              ) : (
                <ExpandableList items={defaultScopes} />
              ),
          },
          {
            name: 'Claims',
            value:
              claims === undefined ? (
                'None'
              ) : (
                <span className="mono">{JSON.stringify(claims, undefined, 1)}</span>
              ),
          },
          {
            name: 'Binding',
            value: boundTokens
              ? 'Required. A token request needs a DPoP proof or a client certificate.'
              : 'Optional. A token is bound to a key if its request has a DPoP proof.',
          },
        ]}
      />
    </Section>
  );
}

const secondsText = (count: number) =>
  count === 1 ? '1 second' : `${count.toLocaleString()} seconds`;

function ChangeTokenSettingsDialog({ client }: { readonly client: Client }) {
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
        const paths = pathsOfChanges(values, initialValues);
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
