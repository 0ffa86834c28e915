/** Waits until the session is known. */
import { Center, VisuallyHidden } from '@mantine/core';
import { Outlet } from '@tanstack/react-router';
import { useSessionState, useSignIn } from '../session/session-context.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { BrandMark } from './brand-mark.tsx';

export function Root() {
  const state = useSessionState();
  const { session } = useSignIn();
  if (state.status === 'starting') {
    return (
      <p className="starting" role="img" aria-label="Loading">
        <BrandMark />
      </p>
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
