import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useSearch } from '@tanstack/react-router';
import { type User, UserKind, UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { Able } from '../parts/able.tsx';
import { TextLink } from '../parts/link.tsx';
import { type Column, Listing } from '../parts/listing.tsx';
import { Page } from '../parts/page.tsx';
import { usePaged } from '../parts/paged.ts';
import { When } from '../parts/when.tsx';
import { useHasScope } from '../session/context.tsx';
import { CreateUser } from './create-user-dialog.tsx';
import { UserFilter } from './user-filter.tsx';
import type { UserSearch } from './user-search.ts';
import { kindText } from './user-text.ts';

const columns: readonly Column<User>[] = [
  {
    title: 'E-mail address',
    cell: ({ id, email }) => (
      <TextLink to="/users/$userId" params={{ userId: id }}>
        {email}
      </TextLink>
    ),
  },
  { title: 'Name', isFree: true, cell: ({ name }) => name || 'No name' },
  { title: 'Kind', cell: kindText },
  { title: 'State', cell: ({ disableTime }) => <Able disableTime={disableTime} /> },
  { title: 'Second factor', cell: ({ totpEnabled }) => (totpEnabled ? 'On' : 'Off') },
  { title: 'Created', cell: ({ createTime }) => <When time={createTime} /> },
];

const kinds = { staff: UserKind.STAFF, member: UserKind.MEMBER } as const;

export function UsersPage() {
  const search = useSearch({ from: '/shell/users' });
  const hasScope = useHasScope();
  const [isOpen, { open, close }] = useDisclosure(false);
  const list = usePaged(UserService.method.listUsers, requestOf(search), ({ users }) => users);
  const isFiltered = search.kind !== undefined || search.email !== undefined;
  return (
    <Page
      title="Users"
      about="Everybody who signs in: the staff who run the service, and the members of workspaces."
      actions={hasScope('users:write') ? <Button onClick={open}>Create user</Button> : undefined}
    >
      <UserFilter search={search} />
      <Listing
        label="Users"
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        empty={
          isFiltered
            ? {
                title: 'No user is like that',
                text: 'An e-mail address is found when it is written out in full.',
                action: (
                  <TextLink to="/users" search={{}}>
                    Show all users
                  </TextLink>
                ),
              }
            : { title: 'No users yet', text: 'Create the first one.' }
        }
      />
      <CreateUser isOpen={isOpen} close={close} />
    </Page>
  );
}

function requestOf({ kind, email }: UserSearch) {
  return {
    ...(kind === undefined ? {} : { kind: kinds[kind] }),
    ...(email === undefined ? {} : { email }),
  };
}
