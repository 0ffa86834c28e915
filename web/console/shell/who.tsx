import { Anchor, Button, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useAllUploads } from '../documents/uploads/context.tsx';
import { isUnderWay } from '../documents/uploads/uploads.ts';
import { useActing } from '../parts/act.ts';
import { useDialogs } from '../parts/dialogs.tsx';
import { ProblemDialog } from '../parts/problem-dialog.tsx';
import { useSignIn, useUser } from '../session/context.tsx';
import classes from './shell.module.css';

/** Who is signed in, and the way out. */
export function Who() {
  const { session } = useSignIn();
  const { email } = useUser();
  const { isPending, error, run, clear } = useActing();
  const underWay = useAllUploads().filter(isUnderWay).length;
  const { confirm } = useDialogs();
  const signOut = () => {
    if (underWay === 0) return void run(() => session.signOut());
    confirm({
      title: 'Sign out during an upload?',
      consequence: 'Files are being uploaded. If you sign out now, they are not stored.',
      label: 'Sign out',
      act: () => session.signOut(),
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
      <ProblemDialog title="You are still signed in" error={error} close={clear} />
    </Group>
  );
}
