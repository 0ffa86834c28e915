/** The accounts of sign-in providers that are linked to a user. */
import { useQuery } from '@connectrpc/connect-query';
import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import {
  IdentityProviderService,
  type UserIdentity,
} from '../../../gen/latchkey/identity/v1/provider_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { isolateName } from '../shared/isolate-name.tsx';
import { Section } from '../shared/section.tsx';
import { useMethod } from '../shared/use-method.ts';

/** Shows nothing for a user without such accounts. */
export function UserIdentities({ userId }: { readonly userId: string }) {
  const { confirm } = useDialogs();
  const mayChange = useHasScope()('users:write');
  const { data } = useQuery(IdentityProviderService.method.listUserIdentities, { userId });
  const unlink = useMethod(IdentityProviderService.method.deleteUserIdentity);
  const identities = data?.identities ?? [];
  if (identities.length === 0) return null;
  const ask = ({ id: identityId, providerName }: UserIdentity) =>
    confirm({
      title: `Unlink the account of ${isolateName(providerName)}?`,
      consequence:
        'The user is signed out where they signed in with it. The next sign-in can link another ' +
        'account with the same email address.',
      label: 'Unlink',
      run: () => unlink({ userId, identityId }),
    });
  return (
    <Section title="Company accounts">
      <Paper withBorder p="md">
        <Stack gap="sm">
          {identities.map((identity) => (
            <Group key={identity.id} justify="space-between" gap="sm">
              <div>
                <Text size="sm">{identity.providerName}</Text>
                <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                  {identity.subject}
                  {identity.managesGrants ? ' · its groups decide about permissions' : ''}
                </Text>
              </div>
              {mayChange ? (
                <Button variant="default" size="compact-sm" onClick={() => ask(identity)}>
                  Unlink
                </Button>
              ) : null}
            </Group>
          ))}
        </Stack>
      </Paper>
    </Section>
  );
}
