import { Button } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { type User, UserKind, UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { useHasScope } from '../session/session-context.tsx';
import { DateTime } from '../shared/date-time.tsx';
import { EnabledBadge } from '../shared/enabled-badge.tsx';
import { type Column, Listing } from '../shared/listing.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { Screen } from '../shared/screen.tsx';
import { useCreateDialog } from '../shared/use-create-dialog.ts';
import { usePagedList } from '../shared/use-paged-list.ts';
import { CreateUserDialog } from './create-user-dialog.tsx';
import { UserFilterForm } from './user-filter-form.tsx';
import { kindText } from './user-kind.ts';
import type { UserSearch } from './user-search.ts';

const columns: readonly Column<User>[] = [
  {
    title: 'Email address',
    orderBy: 'email',
    cell: ({ id, email }) => (
      <TextLink to="/users/$userId" params={{ userId: id }}>
        {email}
      </TextLink>
    ),
  },
  { title: 'Name', orderBy: 'name', isFree: true, isPlain: true, cell: ({ name }) => name || '—' },
  { title: 'Type', isPlain: true, cell: kindText },
  {
    title: 'State',
    isPlain: true,
    cell: ({ disableTime }) => <EnabledBadge disableTime={disableTime} />,
  },
  { title: 'Two-factor', cell: ({ totpEnabled }) => (totpEnabled ? 'On' : 'Off') },
  {
    title: 'Created',
    orderBy: 'create_time',
    isNewestFirst: true,
    isMinor: true,
    cell: ({ createTime }) => <DateTime time={createTime} />,
  },
];

const kinds = { staff: UserKind.STAFF, member: UserKind.MEMBER } as const;

export function UsersScreen() {
  const search = useSearch({ from: '/shell/users' });
  const hasScope = useHasScope();
  const [isOpen, { open, close }] = useCreateDialog();
  const list = usePagedList(UserService.method.listUsers, requestOf(search), ({ users }) => users);
  const isFiltered = search.kind !== undefined || search.email !== undefined;
  return (
    <Screen
      title="Users"
      about="All people who can sign in: staff, who manage the service, and members of workspaces."
      actions={hasScope('users:write') ? <Button onClick={open}>Create user</Button> : undefined}
    >
      <Listing
        label="Users"
        filters={<UserFilterForm search={search} />}
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        empty={
          isFiltered
            ? {
                title: 'No matching users',
                text: 'Enter the complete email address.',
                action: (
                  <TextLink to="/users" search={{}}>
                    Show all users
                  </TextLink>
                ),
              }
            : { title: 'No users yet', text: 'Create the first one.' }
        }
      />
      <CreateUserDialog isOpen={isOpen} close={close} />
    </Screen>
  );
}

function requestOf({ kind, email }: UserSearch) {
  return {
    ...(kind === undefined ? {} : { kind: kinds[kind] }),
    ...(email === undefined ? {} : { email }),
  };
}
