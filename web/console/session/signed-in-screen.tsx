/** The page to which the service leads a browser after a sign-in with an identity provider. */
import { Alert, Center, Loader, Text } from '@mantine/core';
import { Navigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { GoTo } from './go-to.tsx';
import { useSessionState, useSignIn } from './session-context.tsx';
import { problemText } from './sign-in-problems.ts';
import { SignedOutPage } from './signed-out-page.tsx';
import { announceStepUp } from './step-up-window.ts';

export function SignedInScreen() {
  const { step_up: isStepUp, problem, next } = useSearch({ from: '/signed-in' });
  const { session } = useSignIn();
  const state = useSessionState();
  const isIn = state.status === 'in';
  useEffect(() => {
    if (isStepUp || problem !== undefined) return announceStepUp(problem);
    // The other tabs share the cookie.
    if (isIn) session.notifyOtherTabs();
  }, [isStepUp, problem, isIn, session]);
  if (problem !== undefined) {
    return (
      <SignedOutPage title="Not confirmed">
        <Alert color="red">{problemText(problem)}</Alert>
        <Text>You can close this window.</Text>
      </SignedOutPage>
    );
  }
  if (isStepUp) {
    return (
      <SignedOutPage title="Confirmed">
        <Text>You can close this window and continue in the console.</Text>
      </SignedOutPage>
    );
  }
  if (isIn) return next === undefined ? <Navigate to="/" replace /> : <GoTo address={next} />;
  if (state.status === 'out') return <Navigate to="/sign-in" replace />;
  return (
    <Center mih="100dvh">
      <Loader aria-label="Loading" />
    </Center>
  );
}
