/** Pages that stand where another should. */
import { Anchor, Text } from '@mantine/core';
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

/** After a failure of the console itself, or of what it loads. */
export function Broken({ error }: ErrorComponentProps) {
  return (
    <Page title="This page could not be shown">
      <Text>
        {error instanceof Error ? error.message : String(error)}.{' '}
        <Anchor href={location.href}>Load it again</Anchor>, please.
      </Text>
    </Page>
  );
}
