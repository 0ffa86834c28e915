import { Alert, Anchor, Center, Paper, Stack, Text, Title } from '@mantine/core';
import { Navigate, useRouter, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useScreenHeading } from '../shared/use-screen-heading.ts';
import { BrandMark } from '../shell/brand-mark.tsx';
import type { SignedOutReason } from './session.ts';
import { useSessionState } from './session-context.tsx';
import { SignInForm } from './sign-in-form.tsx';

const reasons: Record<SignedOutReason, string> = {
  'never in': '',
  ended: 'Your session has expired. Sign in to continue.',
  'signed out': 'You are signed out.',
};

export function SignInScreen() {
  const state = useSessionState();
  const { next } = useSearch({ from: '/sign-in' });
  const heading = useScreenHeading('Sign in');
  if (state.status === 'in') {
    // Another user starts on the first screen, not on the screen of the previous user.
    if (next === undefined || state.replaced !== 'no one') return <Navigate to="/" replace />;
    return <GoTo address={next} />;
  }
  const reason = state.status === 'out' ? reasons[state.why] : '';
  return (
    <Center component="main" mih="100dvh" p="md" bg="var(--console-rail)">
      <Stack w="100%" maw={400} gap="lg">
        <Center>
          <BrandMark />
        </Center>
        <Paper withBorder p="xl" radius="lg">
          <Stack>
            <Title order={1} size="h2" ref={heading} tabIndex={-1}>
              Sign in
            </Title>
            {reason === '' ? null : <Text role="status">{reason}</Text>}
            <WrongOriginAlert />
            <SignInForm hasAutoFocus={reason === ''} />
          </Stack>
        </Paper>
      </Stack>
    </Center>
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
      You cannot stay signed in here. Use <Anchor href={address}>{address}</Anchor>.
    </Alert>
  );
}
