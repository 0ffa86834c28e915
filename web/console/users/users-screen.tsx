import { type User, UserKind, UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { createdColumn } from '../shared/creation.tsx';
import { EnabledBadge } from '../shared/enabled-badge.tsx';
import { defineList, useList } from '../shared/lists/define-list.ts';
import { type DeletedSearch, deletedFilter, showDeleted } from '../shared/lists/deleted-filter.ts';
import { ListScreen } from '../shared/lists/list-screen.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { CreateUserDialog } from './create-user-dialog.tsx';
import { kindText } from './user-kind.ts';

type UserSearch = DeletedSearch & { readonly kind?: keyof typeof kinds; readonly email?: string };

const kinds = { staff: UserKind.STAFF, member: UserKind.MEMBER } as const;

const users = defineList({
  label: 'Users',
  method: UserService.method.listUsers,
  rows: (page) => page.users,
  filters: {
    email: { label: 'Email address', placeholder: 'Complete address', maxLength: 254 },
    kind: { label: 'Type', choices: { staff: 'Staff', member: 'Members' } },
    ...deletedFilter,
  },
  request: ({ kind, email = '', ...deleted }: UserSearch) => ({
    ...showDeleted(deleted),
    email,
    kind: kind === undefined ? UserKind.UNSPECIFIED : kinds[kind],
  }),
  columns: [
    {
      title: 'Email address',
      orderBy: 'email',
      cell: ({ id, email }) => (
        <TextLink to="/users/$userId" params={{ userId: id }}>
          {email}
        </TextLink>
      ),
    },
    {
      title: 'Name',
      orderBy: 'name',
      isFree: true,
      isPlain: true,
      cell: ({ name }) => name || '—',
    },
    { title: 'Type', isPlain: true, cell: kindText },
    { title: 'State', isPlain: true, cell: EnabledBadge },
    { title: 'Two-factor', cell: ({ totpEnabled }) => (totpEnabled ? 'On' : 'Off') },
    createdColumn<User>({ isMinor: true }),
  ],
});

export function UsersScreen() {
  return (
    <ListScreen
      list={useList(users, {})}
      about="All people who can sign in: staff, who manage the service, and members of workspaces."
      create={<CreateUserDialog />}
      empty={{ title: 'No users yet', text: 'Create the first one.' }}
      noMatch={{ title: 'No matching users', text: 'Enter the complete email address.' }}
    />
  );
}

UsersScreen.reads = [users];
