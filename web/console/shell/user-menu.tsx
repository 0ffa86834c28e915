/** The menu of the signed-in user. */
import { Menu, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconLogout, IconUserCircle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { isInProgress } from '../documents/uploads/uploads.ts';
import { useAllUploads } from '../documents/uploads/uploads-context.tsx';
import { useSignIn, useUser } from '../session/session-context.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { displayName } from '../shared/display-name.ts';
import { ErrorDialog } from '../shared/error-dialog.tsx';
import { usePendingAction } from '../shared/use-pending-action.ts';
import classes from './shell.module.css';

export function UserMenu() {
  const { session } = useSignIn();
  const user = useUser();
  const underWay = useAllUploads().filter(isInProgress).length;
  const { open, confirm } = useDialogs();
  const { isPending, run } = usePendingAction((error) =>
    open(<ErrorDialog title="Couldn’t sign out" error={error} />),
  );
  const signOut = () => {
    if (underWay === 0) return void run(() => session.signOut());
    confirm({
      title: 'Sign out and cancel uploads?',
      consequence: 'Signing out cancels the running uploads.',
      label: 'Sign out',
      run: () => session.signOut(),
    });
  };
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton className={classes.user} aria-busy={isPending}>
          <span aria-hidden>{initialsOf(displayName(user))}</span>
          <VisuallyHidden>User menu</VisuallyHidden>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown aria-label="User menu">
        <div className={classes.userName}>
          <Text size="sm" fw={500} truncate>
            {displayName(user)}
          </Text>
          <Text size="xs" c="dimmed" truncate title={user.email}>
            {user.email}
          </Text>
        </div>
        <Menu.Divider />
        <Menu.Item component={Link} to="/account" leftSection={<IconUserCircle size={16} />}>
          Your account
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={signOut}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** One or two letters. */
function initialsOf(name: string): string {
  const words = name.replace(/@.*/, '').split(/[\s._-]+/);
  const letters = [words[0], words.length > 1 ? words.at(-1) : ''];
  return letters.map((word = '') => [...word][0] ?? '').join('');
}
