/** Waits until the session is known. */
import { Center, Loader, VisuallyHidden } from '@mantine/core';
import { Outlet } from '@tanstack/react-router';
import { useSessionState, useSignIn } from '../session/session-context.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';

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
        <VisuallyHidden component="h1">Latchkey</VisuallyHidden>
        <ErrorAlert error={state.error} retry={() => void session.start()} />
      </Center>
    );
  }
  return <Outlet />;
}
