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

/** Shown if a screen fails to load or to render. */
export function ErrorScreen({ error }: ErrorComponentProps) {
  return (
    <Screen title="Something went wrong">
      <Text>{error instanceof Error ? error.message : String(error)}</Text>
      <Group>
        <Button variant="default" onClick={() => location.reload()}>
          Reload
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
