/** The frame of the screens that need no session. */
import { Center, Paper, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useScreenHeading } from '../shared/use-screen-heading.ts';
import { BrandMark } from '../shell/brand-mark.tsx';

export type SignedOutPageProps = { readonly title: string; readonly children: ReactNode };

export function SignedOutPage({ title, children }: SignedOutPageProps) {
  const heading = useScreenHeading(title);
  return (
    <Center component="main" mih="100dvh" p="md" bg="var(--console-rail)">
      <Stack w="100%" maw={400} gap="lg">
        <Center>
          <BrandMark />
        </Center>
        <Paper withBorder p="xl" radius="lg">
          <Stack>
            <Title order={1} size="h2" ref={heading} tabIndex={-1}>
              {title}
            </Title>
            {children}
          </Stack>
        </Paper>
      </Stack>
    </Center>
  );
}

/**
 * Returns the token of a mailed link. It is in the fragment of the URL, which browsers send neither
 * to the server nor as a referrer.
 */
export function linkToken(): string {
  return location.hash.slice(1);
}
