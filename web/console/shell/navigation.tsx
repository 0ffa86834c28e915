/** The menu, with the entries that the scopes of the user allow. */
import { NavLink, Stack, Text } from '@mantine/core';
import { type Icon, IconBook, IconHelp } from '@tabler/icons-react';
import { Link, useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { type KnownScreen, useMenu } from '../shared/screens.ts';
import classes from './shell.module.css';
import { WorkspaceSwitcher } from './workspace-switcher.tsx';

/** `workspaceId`: undefined before the user has opened a workspace. */
export function Navigation({ workspaceId }: { readonly workspaceId: string | undefined }) {
  const menu = useMenu(workspaceId);
  const rail = useRef<HTMLDivElement>(null);
  const { pathname } = useLocation();
  // In a low window, the last entries are below the part that is shown.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path and workspace set the entries
  useEffect(() => {
    rail.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest' });
  }, [pathname, workspaceId]);
  return (
    <>
      <div className={classes.rail} ref={rail}>
        <WorkspaceSwitcher workspaceId={workspaceId} />
        <Stack gap="md">
          <MenuSection title="Workspace" screens={menu('workspace')} isTitleHidden />
          <MenuSection title="Settings" screens={menu('settings')} />
          <MenuSection title="Administration" screens={menu('administration')} isStaffArea />
        </Stack>
      </div>
      <HelpLinks />
    </>
  );
}

/** Below the part that scrolls, so that they are always in the window. */
function HelpLinks() {
  return (
    <Stack gap={2} role="group" aria-label="Help" className={classes.help ?? ''}>
      <HelpLink label="API reference" path="/docs" icon={IconBook} />
      <HelpLink label="Help with errors" path="/errors" icon={IconHelp} />
    </Stack>
  );
}

type HelpLinkProps = { readonly label: string; readonly path: string; readonly icon: Icon };

/** The page opens in another tab: it is not part of the console. */
function HelpLink({ label, path, icon: LinkIcon }: HelpLinkProps) {
  return (
    <NavLink
      href={path}
      target="_blank"
      rel="noopener"
      label={label}
      leftSection={<LinkIcon size={18} stroke={1.75} aria-hidden />}
      className={classes.entry ?? ''}
    />
  );
}

type MenuSectionProps = {
  readonly title: string;
  readonly screens: readonly KnownScreen[];
  readonly isTitleHidden?: boolean;
  readonly isStaffArea?: boolean;
};

function MenuSection({ screens, ...group }: MenuSectionProps) {
  if (screens.length === 0) return null;
  return (
    <MenuGroup {...group}>
      {screens.map((screen) => (
        <MenuEntry key={screen.path} {...screen} />
      ))}
    </MenuGroup>
  );
}

type MenuGroupProps = Pick<MenuSectionProps, 'title' | 'isTitleHidden' | 'isStaffArea'> & {
  readonly children: ReactNode;
};

function MenuGroup({ title, isTitleHidden, isStaffArea = false, children }: MenuGroupProps) {
  const id = useId();
  const name = isTitleHidden ? { 'aria-label': title } : { 'aria-labelledby': id };
  return (
    <Stack gap={2} role="group" {...name} className={isStaffArea ? (classes.staff ?? '') : ''}>
      {isTitleHidden ? null : (
        <Text id={id} size="xs" fw={500} c="dimmed" px="xs" pb={4}>
          {title}
        </Text>
      )}
      {children}
    </Stack>
  );
}

function MenuEntry({ label, path, icon: EntryIcon, isExact = false }: KnownScreen) {
  const { pathname } = useLocation();
  const isHere = pathname === path || (!isExact && pathname.startsWith(`${path}/`));
  return (
    <NavLink
      component={Link}
      to={path}
      activeOptions={{ exact: isExact }}
      label={label}
      leftSection={EntryIcon && <EntryIcon size={18} stroke={1.75} aria-hidden />}
      active={isHere}
      className={classes.entry ?? ''}
    />
  );
}
