import { Anchor, Button, Group, Modal } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Problem } from '../parts/problem.tsx';
import { useSignIn, useUser } from '../session/context.tsx';
import classes from './shell.module.css';

/** Who is signed in, and the way out. */
export function Who() {
  const { session } = useSignIn();
  const { email } = useUser();
  const [error, setError] = useState<unknown>();
  return (
    <Group gap="sm" wrap="nowrap" miw={0}>
      <Anchor component={Link} to="/account" size="sm" className={classes.email} visibleFrom="xs">
        {email}
      </Anchor>
      <Button
        variant="default"
        size="compact-sm"
        flex="none"
        onClick={() => void session.signOut().catch(setError)}
      >
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
