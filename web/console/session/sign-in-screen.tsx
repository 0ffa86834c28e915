import { Alert, Anchor, Text } from '@mantine/core';
import { Navigate, useRouter, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { TextLink } from '../shared/router-links.tsx';
import type { SignedOutReason } from './session.ts';
import { useSessionState } from './session-context.tsx';
import { SignInForm } from './sign-in-form.tsx';
import { SignedOutPage } from './signed-out-page.tsx';

const reasons: Record<SignedOutReason, string> = {
  'never in': '',
  ended: 'Your session has expired. Sign in to continue.',
  'signed out': 'You’re signed out.',
};

export function SignInScreen() {
  const state = useSessionState();
  const { next } = useSearch({ from: '/sign-in' });
  if (state.status === 'in') {
    // Another user starts on the first screen, not on the screen of the previous user.
    if (next === undefined || state.replaced !== 'no one') return <Navigate to="/" replace />;
    return <GoTo address={next} />;
  }
  const reason = state.status === 'out' ? reasons[state.why] : '';
  return (
    <SignedOutPage title="Sign in">
      {reason === '' ? null : <Text role="status">{reason}</Text>}
      <WrongOriginAlert />
      <SignInForm hasAutoFocus={reason === ''} />
      <TextLink to="/forgot-password">Forgot password?</TextLink>
    </SignedOutPage>
  );
}

/** Navigates to a path that the router has not parsed. */
function GoTo({ address }: { readonly address: string }) {
  const { history } = useRouter();
  useEffect(() => history.replace(address), [history, address]);
  return null;
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
