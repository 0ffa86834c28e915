import { Alert, Anchor, Text } from '@mantine/core';
import { Navigate, useSearch } from '@tanstack/react-router';
import { GoTo } from './go-to.tsx';
import type { SignedOutReason } from './session.ts';
import { useSessionState } from './session-context.tsx';
import { problemText } from './sign-in-problems.ts';
import { SignInSteps } from './sign-in-steps.tsx';
import { SignedOutPage } from './signed-out-page.tsx';

const reasons: Record<SignedOutReason, string> = {
  'never in': '',
  ended: 'Your session has expired. Sign in to continue.',
  'signed out': 'You’re signed out.',
};

export function SignInScreen() {
  const state = useSessionState();
  const { next, problem } = useSearch({ from: '/sign-in' });
  if (state.status === 'in') {
    // Another user starts on the first screen, not on the screen of the previous user.
    if (next === undefined || state.replaced !== 'no one') return <Navigate to="/" replace />;
    return <GoTo address={next} />;
  }
  const reason = state.status === 'out' ? reasons[state.why] : '';
  return (
    <SignedOutPage title="Sign in">
      {reason === '' ? null : <Text role="status">{reason}</Text>}
      {problem === undefined ? null : (
        <Alert color="red" role="alert">
          {problemText(problem)}
        </Alert>
      )}
      <WrongOriginAlert />
      <SignInSteps next={next ?? '/console/'} hasAutoFocus={reason === '' && !problem} />
    </SignedOutPage>
  );
}

/** The session cookie only works on the public origin. */
function WrongOriginAlert() {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="public-url"]');
  const origin = meta?.content ?? location.origin;
  if (origin === location.origin) return null;
  const address = `${origin}/console`;
  return (
    <Alert color="orange" title="Wrong URL">
      You can’t stay signed in here. Use <Anchor href={address}>{address}</Anchor>.
    </Alert>
  );
}
