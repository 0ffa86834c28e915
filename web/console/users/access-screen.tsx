/** Lists the access of a user, and ends it. */
import { useQuery } from '@connectrpc/connect-query';
import { Alert, Badge, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import {
  type AccessItem,
  type AccessList,
  type RevokeAllAccessResponse,
  type UserAccess,
  UserAccessService,
} from '../../../gen/latchkey/identity/v1/user_access_pb.js';
import { type User, UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { useHasScope, useUser } from '../session/session-context.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { displayName } from '../shared/display-name.ts';
import { EnabledBadge } from '../shared/enabled-badge.tsx';
import { ExpandableList } from '../shared/expandable-list.tsx';
import { Facts } from '../shared/facts.tsx';
import { QueryResult } from '../shared/query-result.tsx';
import { ResourceLink } from '../shared/resource-link.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { Screen } from '../shared/screen.tsx';
import { Section } from '../shared/section.tsx';
import { type AccessKind, accessKinds, countsText } from './access-kinds.ts';
import { RevokeAccessDialog, stayingTexts } from './revoke-access-dialog.tsx';

export function AccessScreen() {
  const { userId } = useParams({ from: '/shell/users/$userId/access' });
  const user = useQuery(UserService.method.getUser, { userId }).data?.user;
  const query = useQuery(UserAccessService.method.getUserAccess, { userId });
  const [result, setResult] = useState<RevokeAllAccessResponse>();
  return (
    <Screen
      title={user === undefined ? undefined : `Access of ${displayName(user)}`}
      crumbs={[<UserLink key="user" user={user} userId={userId} />]}
      about="Roles, sessions, keys and links that give this user access now."
      actions={
        user === undefined || query.data?.access === undefined ? undefined : (
          <RevokeButton user={user} access={query.data.access} onDone={setResult} />
        )
      }
    >
      {result === undefined ? null : <Summary result={result} />}
      <QueryResult value={query.data?.access} query={query} label="access">
        {(access) => <Content access={access} />}
      </QueryResult>
    </Screen>
  );
}

AccessScreen.reads = [UserAccessService.method.getUserAccess, UserService.method.getUser];

function UserLink({ user, userId }: { readonly user: User | undefined; readonly userId: string }) {
  return (
    <TextLink to="/users/$userId" params={{ userId }}>
      {user === undefined ? 'User' : displayName(user)}
    </TextLink>
  );
}

type RevokeButtonProps = {
  readonly user: User;
  readonly access: UserAccess;
  readonly onDone: (result: RevokeAllAccessResponse) => void;
};

function RevokeButton({ user, access, onDone }: RevokeButtonProps) {
  const { open } = useDialogs();
  const { id } = useUser();
  if (!useHasScope()('users:write') || user.id === id) return null;
  const dialog = <RevokeAccessDialog user={user} access={access} onDone={onDone} />;
  return (
    <Button variant="default" onClick={() => open(dialog)}>
      Revoke all access
    </Button>
  );
}

function Summary({ result }: { readonly result: RevokeAllAccessResponse }) {
  const counts = result.ended === undefined ? '' : countsText(result.ended);
  return (
    <Alert color="teal" icon={<IconCircleCheck />} title="Access ended" role="status">
      <Stack gap="xs">
        <Text size="sm">{counts === '' ? 'There was nothing else to end.' : `${counts}.`}</Text>
        {stayingTexts(result).map((text) => (
          <Text key={text} size="sm">
            {text}
          </Text>
        ))}
      </Stack>
    </Alert>
  );
}

type ScopesProps = { readonly scopes: readonly string[]; readonly hasRoles: boolean };

function Scopes({ scopes, hasRoles }: ScopesProps) {
  if (scopes.length > 0) return <ExpandableList items={[...scopes].sort()} />;
  return hasRoles ? 'Set by the role in each workspace.' : 'None';
}

function Content({ access }: { readonly access: UserAccess }) {
  const hasRoles = (access.memberships?.totalSize ?? 0) > 0;
  const { disableTime, passwordEnabled, totpEnabled, scopes } = access;
  return (
    <>
      <Facts
        facts={[
          { name: 'State', value: <EnabledBadge disableTime={disableTime} isFull /> },
          { name: 'Password', value: passwordEnabled ? 'Set' : 'None' },
          { name: 'Two-factor authentication', value: totpEnabled ? 'On' : 'Off' },
          { name: 'Scopes', value: <Scopes scopes={scopes} hasRoles={hasRoles} /> },
        ]}
      />
      {countsText(access) === '' ? (
        <Text c="dimmed">
          The user has no sessions and no roles, and nothing that they created gives access.
        </Text>
      ) : null}
      {accessKinds.map((kind) => {
        const list = access[kind.key];
        if (list === undefined || list.totalSize === 0) return null;
        return <Items key={kind.key} kind={kind} list={list} />;
      })}
    </>
  );
}

type ItemsProps = { readonly kind: AccessKind; readonly list: AccessList };

function Items({ kind, list }: ItemsProps) {
  const { title, hasRole = false } = kind;
  const more = list.totalSize - list.items.length;
  return (
    <Section title={`${title} (${list.totalSize.toLocaleString()})`}>
      <Paper withBorder p="md">
        <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
          {list.items.map((item) => (
            <li key={item.id}>
              <Item item={item} hasRole={hasRole} />
            </li>
          ))}
          {more > 0 ? <li>and {more.toLocaleString()} more</li> : null}
        </Stack>
      </Paper>
    </Section>
  );
}

type ItemProps = { readonly item: AccessItem; readonly hasRole: boolean };

/** The word before the time. */
function createdWord({ id }: AccessItem): string {
  if (id.startsWith('ses_')) return 'signed in';
  return id.startsWith('ws_') ? 'added' : 'created';
}

function Item({ item, hasRole }: ItemProps) {
  const { id, name, detail, parents, createTime, expireTime } = item;
  const workspaceId = parents.find((parent) => parent.id.startsWith('ws_'))?.id;
  const owners = parents.filter((parent) => !parent.id.startsWith('usr_'));
  return (
    <Group justify="space-between" gap="4px 16px">
      <Group gap="4px 8px" maw="100%" style={{ overflowWrap: 'anywhere' }}>
        <ResourceLink id={id} name={name} workspaceId={workspaceId} />
        {detail === '' ? null : (
          <Badge variant="light" color="gray" tt={hasRole ? 'capitalize' : 'none'}>
            {detail}
          </Badge>
        )}
        {owners.map((parent) => (
          <Text key={parent.id} span size="sm" c="dimmed">
            {parent.id.startsWith('ws_') ? 'in ' : 'of '}
            <ResourceLink id={parent.id} name={parent.name} workspaceId={workspaceId} />
          </Text>
        ))}
      </Group>
      <Text size="xs" c="dimmed" component="div">
        {createdWord(item)} <DateTime time={createTime} />
        {expireTime === undefined ? null : (
          <>
            {' · expires '}
            <DateTime time={expireTime} />
          </>
        )}
      </Text>
    </Group>
  );
}
