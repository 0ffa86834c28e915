import { Button, Center, Group, Text } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { TextLink } from '../shared/router-links.tsx';
import { Screen } from '../shared/screen.tsx';

export function NotFoundScreen() {
  return (
    <Screen title="Page not found">
      <Text>
        Check the URL or go to the <TextLink to="/">start page</TextLink>.
      </Text>
    </Screen>
  );
}

/** The code of a screen could not be loaded: offline, or from a release that was replaced. */
export class NotLoadedError extends Error {
  constructor(cause: unknown) {
    super('not loaded', { cause });
  }
}

/** Shown if a screen fails to load or to render. */
export function ErrorScreen({ error }: ErrorComponentProps) {
  const isNotLoaded = error instanceof NotLoadedError;
  return (
    <Screen title={isNotLoaded ? 'This page couldn’t be loaded' : 'Something went wrong'}>
      <Text>
        {isNotLoaded
          ? 'Check your connection, then try again.'
          : error instanceof Error
            ? error.message
            : String(error)}
      </Text>
      <Group>
        <Button variant="default" onClick={() => navigator.onLine && location.reload()}>
          Try again
        </Button>
      </Group>
    </Screen>
  );
}

/** Shown if the shell itself fails. */
export function ShellErrorScreen(props: ErrorComponentProps) {
  return (
    <Center component="main" mih="100dvh" p="md">
      <ErrorScreen {...props} />
    </Center>
  );
}
