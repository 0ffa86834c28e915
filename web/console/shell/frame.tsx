/** The header, the menu and the dialogs around all screens of a signed-in user. */
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { Alert, Anchor, AppShell, Burger } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type MouseEvent, useEffect, useRef, useState } from 'react';
import { useIgnoreStrayFiles } from '../documents/uploads/file-drag.ts';
import { UploadBanner } from '../documents/uploads/upload-banner.tsx';
import { useUser } from '../session/session-context.tsx';
import { StepUpDialog } from '../session/step-up-dialog.tsx';
import { formatDateTime } from '../shared/date-time.tsx';
import { DialogsProvider } from '../shared/dialogs.tsx';
import { TextLink } from '../shared/router-links.tsx';
import { BrandMark } from './brand-mark.tsx';
import { Navigation } from './navigation.tsx';
import { PaletteButton } from './palette/palette-button.tsx';
import classes from './shell.module.css';
import { useCurrentWorkspaceId } from './use-current-workspace-id.ts';
import { UserMenu } from './user-menu.tsx';

/** `isOtherUser`: whether another user has signed in from another tab. */
export function Frame({ isOtherUser }: { readonly isOtherUser: boolean }) {
  return (
    <DialogsProvider>
      <Screen isOtherUser={isOtherUser} />
    </DialogsProvider>
  );
}

function Screen({ isOtherUser }: { readonly isOtherUser: boolean }) {
  const menu = useMenu();
  const workspaceId = useCurrentWorkspaceId();
  useStartOver(isOtherUser);
  useIgnoreStrayFiles();
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 240, breakpoint: 'sm', collapsed: { mobile: !menu.isOpen } }}
      padding="lg"
    >
      <Anchor href="#content" className={classes.skip}>
        Skip to content
      </Anchor>
      <AppShell.Header>
        <div className={classes.header}>
          <Burger
            ref={menu.button}
            opened={menu.isOpen}
            onClick={menu.toggle}
            hiddenFrom="sm"
            size="sm"
            aria-label={menu.isOpen ? 'Close menu' : 'Open menu'}
            aria-expanded={menu.isOpen}
            aria-controls="menu"
          />
          <Link to="/" className={classes.brand}>
            <BrandMark />
          </Link>
          <div className={classes.push} />
          <PaletteButton workspaceId={workspaceId} />
          <UserMenu />
        </div>
      </AppShell.Header>
      <AppShell.Navbar
        id="menu"
        aria-label="Main"
        p="sm"
        className={`${classes.navbar} ${menu.isOpen ? '' : classes.closed}`}
        onClick={menu.choose}
        onKeyDown={menu.leave}
      >
        <Navigation workspaceId={workspaceId} />
      </AppShell.Navbar>
      <AppShell.Main
        id="content"
        bg="var(--console-ground)"
        tabIndex={-1}
        className={menu.isOpen ? (classes.covered ?? '') : ''}
      >
        <div className={classes.content}>
          {isOtherUser ? <OtherUserAlert /> : null}
          <SecondFactorReminder />
          <UploadBanner />
          <Outlet />
        </div>
      </AppShell.Main>
      <StepUpDialog />
    </AppShell>
  );
}

/** The menu on a phone. In a wide window, the menu is always open. */
function useMenu() {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const button = useRef<HTMLButtonElement>(null);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: it closes after navigation
  useEffect(close, [pathname]);
  return {
    isOpen,
    toggle,
    button,
    /** Choosing the current screen changes no path, so the menu closes here. */
    choose({ target }: MouseEvent) {
      if (target instanceof Element && target.closest('a') !== null) close();
    },
    leave({ key }: KeyboardEvent) {
      if (key !== 'Escape' || !isOpen) return;
      close();
      button.current?.focus();
    },
  };
}

/** Leaves the URL of the previous user, which the new user may not be able to open. */
function useStartOver(isOtherUser: boolean) {
  const navigate = useNavigate();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each user
  useEffect(() => {
    if (isOtherUser) void navigate({ to: '/', replace: true });
  }, []);
}

function OtherUserAlert() {
  const { email } = useUser();
  const [isRead, setRead] = useState(false);
  if (isRead) return null;
  return (
    <Alert
      role="status"
      mb="lg"
      title="Another user has signed in"
      withCloseButton
      closeButtonLabel="Close"
      onClose={() => setRead(true)}
    >
      {email} signed in from another tab. This tab now shows their account.
    </Alert>
  );
}

/** Reminds the user of a required second factor until the grace period ends. */
function SecondFactorReminder() {
  const { secondFactorDueTime } = useUser();
  if (secondFactorDueTime === undefined) return null;
  const end = formatDateTime(timestampDate(secondFactorDueTime));
  return (
    <Alert color="orange" role="status" mb="lg" title={`Add a second factor by ${end}`}>
      Your administrators require a second factor. If you have one, sign in with it. If not, add one
      in{' '}
      <TextLink to="/account" td="underline">
        Your account
      </TextLink>
      .
    </Alert>
  );
}
