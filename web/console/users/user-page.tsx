import { useQuery } from '@connectrpc/connect-query';
import { Center, DataList, Group, Loader, Paper, Stack, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { type User, UserKind, UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { Copyable } from '../parts/copyable.tsx';
import { Fact } from '../parts/fact.tsx';
import { TextLink } from '../parts/link.tsx';
import { Page } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';
import { When } from '../parts/when.tsx';
import { useHasScope, useUser } from '../session/context.tsx';
import { UserActions } from './user-actions.tsx';
import { callName, kindText, UserState } from './user-text.tsx';

export function UserPage() {
  const { userId } = useParams({ from: '/shell/users/$userId' });
  const { data, error, refetch } = useQuery(UserService.method.getUser, { userId });
  const hasScope = useHasScope();
  const { id } = useUser();
  const user = data?.user;
  return (
    <Page
      title={user === undefined ? 'User' : callName(user)}
      parent={hasScope('users:read') ? <TextLink to="/users">Users</TextLink> : undefined}
    >
      {error === null ? null : <Problem error={error} retry={() => void refetch()} />}
      {user === undefined && error === null ? (
        <Center p="xl">
          <Loader aria-label="Loading the user" />
        </Center>
      ) : null}
      {user === undefined ? null : (
        <>
          {user.id === id ? <Self /> : null}
          <Facts user={user} />
          {hasScope('users:write') ? <UserActions user={user} isSelf={user.id === id} /> : null}
          {hasScope('audit:read') ? <Traces userId={user.id} /> : null}
        </>
      )}
    </Page>
  );
}

function Self() {
  return (
    <Text>
      This is you. Your own password and authenticator app are on the page{' '}
      <TextLink to="/account">Your account</TextLink>.
    </Text>
  );
}

function Facts({ user }: { readonly user: User }) {
  return (
    <Paper withBorder p="lg">
      <DataList labelWidth={140}>
        <Fact label="Id">
          <Copyable text={user.id} label="user id" />
        </Fact>
        <Fact label="Kind">{kindText(user)}</Fact>
        <Fact label="E-mail address">{user.email}</Fact>
        <Fact label="Name">{user.name === '' ? 'none' : user.name}</Fact>
        <Fact label="State">
          <Group gap="xs">
            <UserState user={user} />
            {user.disableTime === undefined ? null : (
              <>
                since <When time={user.disableTime} />
              </>
            )}
          </Group>
        </Fact>
        <Fact label="Second factor">
          {user.totpEnabled ? 'An authenticator app' : 'None: the password alone'}
        </Fact>
        <Fact label="Created">
          <When time={user.createTime} />
        </Fact>
        <Fact label="May do">
          <Powers user={user} />
        </Fact>
      </DataList>
    </Paper>
  );
}

function Powers({ user: { kind, scopes } }: { readonly user: User }) {
  if (kind === UserKind.MEMBER) return 'What their role says, in each of their workspaces.';
  if (scopes.length === 0) return 'Nothing yet: no scope was given.';
  return (
    <Stack gap="xs">
      <span>In every workspace:</span>
      <Group component="ul" gap="4px 16px" m={0} p={0} style={{ listStyle: 'none' }}>
        {[...scopes].sort().map((scope) => (
          <li key={scope} className="mono">
            {scope}
          </li>
        ))}
      </Group>
    </Stack>
  );
}

function Traces({ userId }: { readonly userId: string }) {
  return (
    <Text size="sm">
      In the audit log:{' '}
      <TextLink to="/audit" search={{ actor: userId }}>
        what the user did
      </TextLink>
      ,{' '}
      <TextLink to="/audit" search={{ target: userId }}>
        what was done to the user
      </TextLink>
    </Text>
  );
}
