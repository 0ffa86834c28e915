import { useQuery } from '@connectrpc/connect-query';
import { Stack, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { type User, UserKind, UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { useHasScope, useUser } from '../session/session-context.tsx';
import { AuditLinks } from '../shared/audit-links.tsx';
import { CopyableText } from '../shared/copyable-text.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { displayName } from '../shared/display-name.ts';
import { EnabledBadge } from '../shared/enabled-badge.tsx';
import { ExpandableList } from '../shared/expandable-list.tsx';
import { type Fact, Facts } from '../shared/facts.tsx';
import { QueryResult } from '../shared/query-result.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { Screen } from '../shared/screen.tsx';
import { UserActions } from './user-actions.tsx';
import { kindText } from './user-kind.ts';

export function UserScreen() {
  const { userId } = useParams({ from: '/shell/users/$userId' });
  const query = useQuery(UserService.method.getUser, { userId });
  const hasScope = useHasScope();
  const { id } = useUser();
  const user = query.data?.user;
  return (
    <Screen
      title={user === undefined ? 'User' : displayName(user)}
      parent={hasScope('users:read') ? <TextLink to="/users">Users</TextLink> : undefined}
      actions={
        user !== undefined && hasScope('users:write') ? (
          <UserActions user={user} isSelf={user.id === id} />
        ) : undefined
      }
    >
      <QueryResult value={user} query={query} label="user">
        {(user) => (
          <>
            {user.id === id ? <Self /> : null}
            <Facts facts={factsOf(user)} />
            <AuditLinks id={user.id} noun="user" />
          </>
        )}
      </QueryResult>
    </Screen>
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
    { name: 'User id', value: <CopyableText text={id} label="user id" /> },
    { name: 'Kind', value: kindText(user) },
    { name: 'E-mail address', value: email },
    { name: 'Name', value: name || 'No name' },
    { name: 'State', value: <EnabledBadge disableTime={disableTime} isFull /> },
    {
      name: 'Second factor',
      value: totpEnabled ? 'An authenticator app' : 'None: the password alone',
    },
    { name: 'Created', value: <DateTime time={createTime} /> },
    { name: 'May do', value: <Powers user={user} /> },
  ];
}

function Powers({ user: { kind, scopes } }: { readonly user: User }) {
  if (kind === UserKind.MEMBER) return 'What their role says, in each of their workspaces.';
  if (scopes.length === 0) return 'Nothing yet: no scope was given.';
  return (
    <Stack gap="xs">
      <span>In every workspace:</span>
      <ExpandableList words={[...scopes].sort()} />
    </Stack>
  );
}
