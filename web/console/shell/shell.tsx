/** What stands around every page of somebody who is signed in. */
import { Anchor, AppShell, Burger, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { UploadsElsewhere } from '../documents/uploads/uploads-elsewhere.tsx';
import { useSessionState } from '../session/context.tsx';
import { StepUpDialog } from '../session/step-up-dialog.tsx';
import { Navigation } from './navigation.tsx';
import classes from './shell.module.css';
import { Who } from './who.tsx';

export function Shell() {
  const state = useSessionState();
  if (state.status === 'in') return <Frame />;
  return <ToSignIn isToComeBack={state.status === 'out' && state.hasEnded} />;
}

function ToSignIn({ isToComeBack }: { readonly isToComeBack: boolean }) {
  const navigate = useNavigate();
  const here = useRef(useLocation().href);
  useEffect(() => {
    const search = isToComeBack ? { next: `/console${here.current}` } : {};
    void navigate({ to: '/sign-in', search, replace: true });
  }, [navigate, isToComeBack]);
  return null;
}

function Frame() {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: it closes when the page changes
  useEffect(close, [pathname]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 240, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="lg"
    >
      <Anchor href="#content" className={classes.skip}>
        Skip to the content
      </Anchor>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={isOpen ? 'Close the menu' : 'Open the menu'}
              aria-expanded={isOpen}
            />
            <Text component={Link} to="/" fw={700} className={classes.brand}>
              Latchkey
            </Text>
          </Group>
          <Who />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm">
        <Navigation />
      </AppShell.Navbar>
      <AppShell.Main id="content" bg="var(--console-ground)" tabIndex={-1}>
        <div className={classes.content}>
          <UploadsElsewhere />
          <Outlet />
        </div>
      </AppShell.Main>
      <StepUpDialog />
    </AppShell>
  );
}
