import { useQuery } from '@connectrpc/connect-query';
import { Stack, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { type User, UserKind, UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { Able } from '../parts/able.tsx';
import { callName } from '../parts/call-name.ts';
import { Copyable } from '../parts/copyable.tsx';
import { type Fact, Facts } from '../parts/facts.tsx';
import { TextLink } from '../parts/link.tsx';
import { One } from '../parts/one.tsx';
import { Page } from '../parts/page.tsx';
import { Some } from '../parts/some.tsx';
import { Traces } from '../parts/traces.tsx';
import { When } from '../parts/when.tsx';
import { useHasScope, useUser } from '../session/context.tsx';
import { UserActions } from './user-actions.tsx';
import { kindText } from './user-text.ts';

export function UserPage() {
  const { userId } = useParams({ from: '/shell/users/$userId' });
  const query = useQuery(UserService.method.getUser, { userId });
  const hasScope = useHasScope();
  const { id } = useUser();
  const user = query.data?.user;
  return (
    <Page
      title={user === undefined ? 'User' : callName(user)}
      parent={hasScope('users:read') ? <TextLink to="/users">Users</TextLink> : undefined}
      actions={
        user !== undefined && hasScope('users:write') ? (
          <UserActions user={user} isSelf={user.id === id} />
        ) : undefined
      }
    >
      <One value={user} query={query} label="user">
        {(user) => (
          <>
            {user.id === id ? <Self /> : null}
            <Facts facts={factsOf(user)} />
            <Traces id={user.id} noun="user" />
          </>
        )}
      </One>
    </Page>
  );
}

function Self() {
  return (
    <Text>
      This is you. Your own password and authenticator app are on the page{' '}
      <TextLink to="/account" td="underline">
        Your account
      </TextLink>
      .
    </Text>
  );
}

function factsOf(user: User): Fact[] {
  const { id, email, name, totpEnabled, createTime, disableTime } = user;
  return [
    { name: 'User id', value: <Copyable text={id} label="user id" /> },
    { name: 'Kind', value: kindText(user) },
    { name: 'E-mail address', value: email },
    { name: 'Name', value: name || 'No name' },
    { name: 'State', value: <Able disableTime={disableTime} isFull /> },
    {
      name: 'Second factor',
      value: totpEnabled ? 'An authenticator app' : 'None: the password alone',
    },
    { name: 'Created', value: <When time={createTime} /> },
    { name: 'May do', value: <Powers user={user} /> },
  ];
}

function Powers({ user: { kind, scopes } }: { readonly user: User }) {
  if (kind === UserKind.MEMBER) return 'What their role says, in each of their workspaces.';
  if (scopes.length === 0) return 'Nothing yet: no scope was given.';
  return (
    <Stack gap="xs">
      <span>In every workspace:</span>
      <Some words={[...scopes].sort()} />
    </Stack>
  );
}
