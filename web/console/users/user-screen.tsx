import { useQuery } from '@connectrpc/connect-query';
import { Stack, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { SessionService } from '../../../gen/latchkey/identity/v1/session_pb.js';
import { type User, UserKind, UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { useHasScope, useUser } from '../session/session-context.tsx';
import { AuditLinks } from '../shared/audit-links.tsx';
import { CopyableText } from '../shared/copyable-text.tsx';
import { historyFacts } from '../shared/creation.tsx';
import { displayName } from '../shared/display-name.ts';
import { EnabledBadge } from '../shared/enabled-badge.tsx';
import { ExpandableList } from '../shared/expandable-list.tsx';
import { Facts, type OptionalFact } from '../shared/facts.tsx';
import { QueryResult } from '../shared/query-result.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { Screen } from '../shared/screen.tsx';
import { UserPasskeys } from './passkey-list.tsx';
import { UserActions } from './user-actions.tsx';
import { UserIdentities } from './user-identities.tsx';
import { kindText } from './user-kind.ts';
import { UserSessions } from './user-sessions.tsx';

export function UserScreen() {
  const { userId } = useParams({ from: '/shell/users/$userId' });
  const query = useQuery(UserService.method.getUser, { userId });
  const hasScope = useHasScope();
  const { id } = useUser();
  const user = query.data?.user;
  return (
    <Screen
      title={user && displayName(user)}
      actions={
        user !== undefined && hasScope('users:write') ? (
          <UserActions user={user} isSelf={user.id === id} />
        ) : undefined
      }
    >
      <QueryResult value={user} query={query} label="user">
        {(user) => (
          <>
            {user.id === id ? <OwnAccountHint /> : null}
            <Facts facts={factsOf(user)} />
            <Text size="sm">
              <TextLink to="/users/$userId/access" params={{ userId: user.id }} td="underline">
                See and revoke all access
              </TextLink>
            </Text>
            <UserIdentities userId={user.id} />
            <UserPasskeys userId={user.id} />
            <UserSessions user={user} isSelf={user.id === id} />
            <AuditLinks id={user.id} />
          </>
        )}
      </QueryResult>
    </Screen>
  );
}

UserScreen.reads = [UserService.method.getUser, SessionService.method.getSignInOptions];

function OwnAccountHint() {
  return (
    <Text>
      This is you. To change your password or authenticator app, go to{' '}
      <TextLink to="/account" td="underline">
        Your account
      </TextLink>
      .
    </Text>
  );
}

function factsOf(user: User): OptionalFact[] {
  const { id, email, name, totpEnabled, recoveryCodesLeft, disableTime } = user;
  const { passwordEnabled } = user;
  return [
    { name: 'User ID', value: <CopyableText text={id} label="user ID" /> },
    { name: 'Type', value: kindText(user) },
    { name: 'Email address', value: email },
    { name: 'Name', value: name || '—' },
    {
      name: 'State',
      value: <EnabledBadge disableTime={disableTime} deleteTime={user.deleteTime} isFull />,
    },
    {
      name: 'Password',
      value: passwordEnabled
        ? 'Set'
        : 'None. The user signs in with a company account, or chooses a password with a link.',
    },
    {
      name: 'Two-factor authentication',
      value: totpEnabled ? factorText(recoveryCodesLeft) : 'Off',
    },
    ...historyFacts(user),
    { name: 'Scopes', value: <Permissions user={user} /> },
  ];
}

const factorText = (codesLeft: number) =>
  `On, ${codesLeft} ${codesLeft === 1 ? 'recovery code' : 'recovery codes'} left`;

function Permissions({ user: { kind, scopes } }: { readonly user: User }) {
  if (kind === UserKind.MEMBER) return 'Set by the role in each workspace.';
  if (scopes.length === 0) return 'None. The user has no scopes.';
  return (
    <Stack gap="xs">
      <span>In all workspaces:</span>
      <ExpandableList items={[...scopes].sort()} />
    </Stack>
  );
}
