import { Button } from '@mantine/core';
import type { Client } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { AudienceLinks } from '../audiences/audience-links.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { ExpandableList } from '../shared/expandable-list.tsx';
import { Facts } from '../shared/facts.tsx';
import { Section } from '../shared/section.tsx';
import { ChangeTokenSettingsDialog } from './change-token-settings-dialog.tsx';

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
