import { Alert, Anchor, Center, Paper, Stack, Text, Title } from '@mantine/core';
import { Navigate, useRouter, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useSessionState } from './context.tsx';
import { SignInForm } from './sign-in-form.tsx';

export function SignInPage() {
  const state = useSessionState();
  const { next } = useSearch({ from: '/sign-in' });
  const router = useRouter();
  useEffect(() => {
    document.title = 'Sign in · Latchkey';
  }, []);
  if (state.status === 'in' && next === undefined) return <Navigate to="/" replace />;
  const go = () => (next === undefined ? undefined : router.history.replace(next));
  return (
    <Center component="main" mih="100dvh" p="md" bg="var(--console-ground)">
      <Paper withBorder p="xl" radius="md" w="100%" maw={420}>
        <Stack>
          <Title order={1} size="h2">
            Sign in
          </Title>
          {state.status === 'out' && state.hasEnded ? (
            <Text role="status">Your session has ended. Sign in again to go on.</Text>
          ) : null}
          <Elsewhere />
          <SignInForm onDone={go} />
        </Stack>
      </Paper>
    </Center>
  );
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
