/** Waits until it is known who is there. */
import { Center, Loader } from '@mantine/core';
import { Outlet } from '@tanstack/react-router';
import { Problem } from '../parts/problem.tsx';
import { useSessionState, useSignIn } from '../session/context.tsx';

export function Root() {
  const state = useSessionState();
  const { session } = useSignIn();
  if (state.status === 'starting') {
    return (
      <Center mih="100dvh">
        <Loader aria-label="Loading" />
      </Center>
    );
  }
  if (state.status === 'unknown') {
    return (
      <Center component="main" mih="100dvh" p="md">
        <Problem error={state.error} retry={() => void session.start()} />
      </Center>
    );
  }
  return <Outlet />;
}
