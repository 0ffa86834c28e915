/** The frame of the screens that need no session. */
import { Center, Paper, Stack, Text, Title } from '@mantine/core';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
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
          <Stack style={{ overflowWrap: 'anywhere' }}>
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
 * Returns the token of a mailed link, or the code of a command-line sign-in. It is in the
 * fragment of the URL, which browsers send neither to the server nor as a referrer. It is removed
 * from the address bar and from the history, which other people may see. After a reload, the link
 * opens the page again.
 */
export function useLinkToken(): string {
  const { hash, pathname } = useLocation();
  const navigate = useNavigate();
  if (hash !== '') tokens.set(pathname, hash);
  useEffect(() => {
    if (hash !== '') void navigate({ to: '.', hash: '', replace: true });
  }, [hash, navigate]);
  return tokens.get(pathname) ?? '';
}

/** By the path of the page. A sign-in replaces the components and their state. */
const tokens = new Map<string, string>();

/** Shown without a token, such as after a reload. */
export function NoLinkToken() {
  return <Text>Open the link in the email again. This address is incomplete.</Text>;
}
