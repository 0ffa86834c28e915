/** Pages that stand where another should. */
import { Button, Center, Group, Text } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { TextLink } from '../parts/link.tsx';
import { Page } from '../parts/page.tsx';

export function NoSuchPage() {
  return (
    <Page title="There is no such page">
      <Text>
        Please check the address, or go to <TextLink to="/">the start</TextLink>.
      </Text>
    </Page>
  );
}

/** After a failure of a page, or of the loading of its code. */
export function Broken({ error }: ErrorComponentProps) {
  return (
    <Page title="This page could not be shown">
      <Text>{error instanceof Error ? error.message : String(error)}</Text>
      <Group>
        <Button variant="default" onClick={() => location.reload()}>
          Load it again
        </Button>
      </Group>
    </Page>
  );
}

/** The same where it is the frame of all pages that failed. */
export function AllBroken(props: ErrorComponentProps) {
  return (
    <Center component="main" mih="100dvh" p="md">
      <Broken {...props} />
    </Center>
  );
}
