import { Anchor, Button, Group, Modal } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useAllUploads } from '../documents/uploads/context.tsx';
import { isUnderWay } from '../documents/uploads/uploads.ts';
import { useDialogs } from '../parts/dialogs.tsx';
import { Problem } from '../parts/problem.tsx';
import { useSignIn, useUser } from '../session/context.tsx';
import classes from './shell.module.css';

/** Who is signed in, and the way out. */
export function Who() {
  const { session } = useSignIn();
  const { email } = useUser();
  const [error, setError] = useState<unknown>();
  const underWay = useAllUploads().filter(isUnderWay).length;
  const { confirm } = useDialogs();
  const signOut = () => {
    if (underWay === 0) return void session.signOut().catch(setError);
    confirm({
      title: 'Sign out during an upload?',
      consequence: 'Files are being uploaded. If you sign out now, they are not stored.',
      label: 'Sign out',
      act: () => session.signOut(),
    });
  };
  return (
    <Group gap="sm" wrap="nowrap" miw={0}>
      <Anchor component={Link} to="/account" size="sm" className={classes.email} visibleFrom="xs">
        {email}
      </Anchor>
      <Button variant="default" size="compact-sm" flex="none" onClick={signOut}>
        Sign out
      </Button>
      <Modal
        opened={error !== undefined}
        onClose={() => setError(undefined)}
        title="You are still signed in"
      >
        <Problem error={error} />
      </Modal>
    </Group>
  );
}
