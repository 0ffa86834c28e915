import { Alert, Anchor, Center, Paper, Stack, Text, Title } from '@mantine/core';
import { Navigate, useRouter, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useScreenHeading } from '../shared/use-screen-heading.ts';
import type { WhyOut } from './session.ts';
import { useSessionState } from './session-context.tsx';
import { SignInForm } from './sign-in-form.tsx';

const reasons: Record<WhyOut, string> = {
  'never in': '',
  ended: 'Your session has ended. Sign in again to go on.',
  'signed out': 'You have signed out.',
};

export function SignInScreen() {
  const state = useSessionState();
  const { next } = useSearch({ from: '/sign-in' });
  const heading = useScreenHeading('Sign in');
  if (state.status === 'in') {
    // What one user was at need not be another's.
    if (next === undefined || state.replaced !== 'nobody') return <Navigate to="/" replace />;
    return <GoTo address={next} />;
  }
  const reason = state.status === 'out' ? reasons[state.why] : '';
  return (
    <Center component="main" mih="100dvh" p="md" bg="var(--console-ground)">
      <Paper withBorder p="xl" radius="md" w="100%" maw={420}>
        <Stack>
          <Title order={1} size="h2" ref={heading} tabIndex={-1}>
            Sign in
          </Title>
          {reason === '' ? null : <Text role="status">{reason}</Text>}
          <Elsewhere />
          <SignInForm takesFocus={reason === ''} />
        </Stack>
      </Paper>
    </Center>
  );
}

/** Goes to an address of the console as the browser has it. */
function GoTo({ address }: { readonly address: string }) {
  const { history } = useRouter();
  useEffect(() => history.replace(address), [history, address]);
  return null;
}

/** The cookie of a session counts on one origin only. */
function Elsewhere() {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="public-url"]');
  const origin = meta?.content ?? location.origin;
  if (origin === location.origin) return null;
  const address = `${origin}/console`;
  return (
    <Alert color="orange" title="This is not the console's address">
      A sign-in here would not last. Please use <Anchor href={address}>{address}</Anchor>.
    </Alert>
  );
}
