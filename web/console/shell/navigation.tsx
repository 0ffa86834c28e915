/** The menu, with the entries that the scopes of the user allow. */
import { NavLink, Stack, Text } from '@mantine/core';
import { Link, useLocation } from '@tanstack/react-router';
import { type ReactNode, useId } from 'react';
import { useHasScope, useUser } from '../session/session-context.tsx';
import { type MenuItem, settingsItems, staffItems, workspaceItems } from './menu-items.ts';
import classes from './shell.module.css';
import { WorkspaceSwitcher } from './workspace-switcher.tsx';

/** `workspaceId`: undefined before the user has opened a workspace. */
export function Navigation({ workspaceId }: { readonly workspaceId: string | undefined }) {
  const { kind } = useUser();
  return (
    <div className={classes.rail}>
      <WorkspaceSwitcher workspaceId={workspaceId} />
      <Stack gap="md">
        {workspaceId === undefined ? null : <WorkspaceMenu id={workspaceId} />}
        {kind === 'staff' ? (
          <MenuSection title="Administration" items={staffItems} base="" isStaffArea />
        ) : null}
      </Stack>
    </div>
  );
}

function WorkspaceMenu({ id }: { readonly id: string }) {
  const base = `/workspaces/${id}/`;
  return (
    <>
      <MenuSection title="Workspace" items={workspaceItems} base={base} isTitleHidden />
      <MenuSection title="Settings" items={settingsItems} base={base} />
    </>
  );
}

type MenuSectionProps = {
  readonly title: string;
  readonly items: readonly MenuItem[];
  readonly base: string;
  readonly isTitleHidden?: boolean;
  readonly isStaffArea?: boolean;
};

function MenuSection({ title, items, base, ...style }: MenuSectionProps) {
  const hasScope = useHasScope();
  const shown = items.filter(({ scope }) => hasScope(scope));
  if (shown.length === 0) return null;
  return (
    <MenuGroup title={title} {...style}>
      {shown.map(({ path, ...item }) => (
        <MenuEntry key={path} path={`${base}${path}`} {...item} />
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

function MenuEntry({ label, path, icon: EntryIcon, isExact = false }: Omit<MenuItem, 'scope'>) {
  const { pathname } = useLocation();
  const isHere = pathname === path || (!isExact && pathname.startsWith(`${path}/`));
  return (
    <NavLink
      component={Link}
      to={path}
      activeOptions={{ exact: isExact }}
      label={label}
      leftSection={<EntryIcon size={18} stroke={1.75} aria-hidden />}
      active={isHere}
      className={classes.entry ?? ''}
    />
  );
}
