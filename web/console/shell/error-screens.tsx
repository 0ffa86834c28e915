/** Pages that stand where another should. */
import { Button, Center, Group, Text } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { TextLink } from '../shared/router-links.tsx';
import { Screen } from '../shared/screen.tsx';

export function NotFoundScreen() {
  return (
    <Screen title="There is no such page">
      <Text>
        Please check the address, or go to <TextLink to="/">the start</TextLink>.
      </Text>
    </Screen>
  );
}

/** After a failure of a page, or of the loading of its code. */
export function ErrorScreen({ error }: ErrorComponentProps) {
  return (
    <Screen title="This page could not be shown">
      <Text>{error instanceof Error ? error.message : String(error)}</Text>
      <Group>
        <Button variant="default" onClick={() => location.reload()}>
          Load it again
        </Button>
      </Group>
    </Screen>
  );
}

/** The same where it is the frame of all pages that failed. */
export function ShellErrorScreen(props: ErrorComponentProps) {
  return (
    <Center component="main" mih="100dvh" p="md">
      <ErrorScreen {...props} />
    </Center>
  );
}
