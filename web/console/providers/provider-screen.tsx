import { useQuery } from '@connectrpc/connect-query';
import { Stack, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import {
  type IdentityProvider,
  IdentityProviderService,
} from '../../../gen/latchkey/identity/v1/provider_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { AuditLinks } from '../shared/audit-links.tsx';
import { CopyableText } from '../shared/copyable-text.tsx';
import { historyFacts } from '../shared/creation.tsx';
import { Facts } from '../shared/facts.tsx';
import { QueryResult } from '../shared/query-result.tsx';
import { Screen } from '../shared/screen.tsx';
import { Section } from '../shared/section.tsx';
import { ProviderActions } from './provider-actions.tsx';
import { ProviderMappings } from './provider-mappings.tsx';
import { ProviderState } from './provider-state.tsx';

export function ProviderScreen() {
  const { providerId } = useParams({ from: '/shell/identity-providers/$providerId' });
  const mayChange = useHasScope()('identity_providers:write');
  const query = useQuery(IdentityProviderService.method.getIdentityProvider, { providerId });
  const provider = query.data?.provider;
  return (
    <Screen
      title={provider?.name}
      actions={
        mayChange && provider !== undefined ? <ProviderActions provider={provider} /> : undefined
      }
    >
      <QueryResult value={provider} query={query} label="sign-in provider">
        {(found) => (
          <>
            <Registration {...found} />
            <ProviderFacts {...found} />
            <AuditLinks id={found.id} />
            <ProviderMappings provider={found} mayChange={mayChange} />
          </>
        )}
      </QueryResult>
    </Screen>
  );
}

ProviderScreen.reads = [IdentityProviderService.method.getIdentityProvider];

function Registration({ redirectUri, backchannelLogoutUri }: IdentityProvider) {
  return (
    <Section title="Register at the provider">
      <Stack gap="sm">
        <Facts
          facts={[
            {
              name: 'Redirect URI',
              value: <CopyableText text={redirectUri} label="redirect URI" />,
            },
            {
              name: 'Back-channel logout URI',
              value: <CopyableText text={backchannelLogoutUri} label="logout URI" />,
            },
          ]}
        />
        <Text size="sm" c="dimmed" maw="70ch">
          To test it, open the sign-in page in a private window and sign in with the provider. If
          the sign-in is refused, the page says why, and the log has the details.
        </Text>
      </Stack>
    </Section>
  );
}

function ProviderFacts(provider: IdentityProvider) {
  const { id, issuer, clientId, allowedDomains, createUsers } = provider;
  const { groupsClaim, emailVerifiedClaim, additionalScopes } = provider;
  return (
    <Facts
      facts={[
        { name: 'Provider ID', value: <CopyableText text={id} label="provider ID" /> },
        { name: 'State', value: <ProviderState {...provider} /> },
        { name: 'Issuer', value: issuer },
        { name: 'Client ID', value: clientId },
        { name: 'Domains', value: allowedDomains.join(', ') },
        {
          name: 'New users',
          value: createUsers ? 'Created at their first sign-in' : 'Not created',
        },
        { name: 'Claim of groups', value: groupsClaim },
        { name: 'Claim of verified addresses', value: emailVerifiedClaim },
        {
          name: 'Scopes',
          value: ['openid', 'email', 'profile', ...additionalScopes].join(' '),
        },
        ...historyFacts(provider),
      ]}
    />
  );
}
