import { Anchor, Button, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { isInProgress } from '../documents/uploads/uploads.ts';
import { useAllUploads } from '../documents/uploads/uploads-context.tsx';
import { useSignIn, useUser } from '../session/session-context.tsx';
import { useDialogs } from '../shared/dialogs.tsx';
import { ErrorDialog } from '../shared/error-dialog.tsx';
import { usePendingAction } from '../shared/use-pending-action.ts';
import classes from './shell.module.css';

export function UserMenu() {
  const { session } = useSignIn();
  const { email } = useUser();
  const { isPending, error, run, clearError } = usePendingAction();
  const underWay = useAllUploads().filter(isInProgress).length;
  const { confirm } = useDialogs();
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
    <Group gap="sm" wrap="nowrap" miw={0}>
      <Anchor
        component={Link}
        to="/account"
        size="sm"
        className={classes.email}
        title={email}
        visibleFrom="xs"
      >
        {email}
      </Anchor>
      <Button variant="default" size="compact-sm" flex="none" loading={isPending} onClick={signOut}>
        Sign out
      </Button>
      <ErrorDialog title="Could not sign out" error={error} close={clearError} />
    </Group>
  );
}
