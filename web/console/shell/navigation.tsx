/** The menu, with the entries that the scopes of the user allow. */

import { useQuery } from '@connectrpc/connect-query';
import { NavLink, Stack, Text } from '@mantine/core';
import { Link, useLocation, useParams } from '@tanstack/react-router';
import { type ReactNode, useId } from 'react';
import { WorkspaceService } from '../../../gen/latchkey/sharing/v1/workspace_pb.js';
import { useHasScope, useUser } from '../session/session-context.tsx';
import classes from './shell.module.css';

type Item = { readonly label: string; readonly path: string; readonly scope: string };

const workspaceItems: readonly Item[] = [
  { label: 'Documents', path: 'documents', scope: 'documents:read' },
  { label: 'Links', path: 'links', scope: 'links:read' },
  { label: 'Members', path: 'members', scope: 'workspaces:read' },
];

const settingsItems: readonly Item[] = [
  { label: 'API keys', path: 'settings/api-keys', scope: 'api_keys:read' },
  { label: 'General', path: 'settings/general', scope: 'workspaces:write' },
];

const staffItems: readonly Item[] = [
  { label: 'Clients', path: '/clients', scope: 'clients:read' },
  { label: 'Customers', path: '/customers', scope: 'customers:read' },
  { label: 'Accounts', path: '/accounts', scope: 'accounts:read' },
  { label: 'Signing keys', path: '/signing-keys', scope: 'signing_keys:read' },
  { label: 'Users', path: '/users', scope: 'users:read' },
  { label: 'Audit log', path: '/audit', scope: 'audit:read' },
];

export function Navigation() {
  const { kind } = useUser();
  const { workspaceId } = useParams({ strict: false });
  return (
    <Stack gap={2} className={classes.scrolls}>
      <MenuEntry label="Workspaces" path="/workspaces" isExact />
      {workspaceId === undefined ? null : <WorkspaceMenu id={workspaceId} />}
      {kind === 'staff' ? <MenuSection title="Platform" items={staffItems} base="" /> : null}
      <MenuGroup title="You">
        <MenuEntry label="Your account" path="/account" />
      </MenuGroup>
    </Stack>
  );
}

function WorkspaceMenu({ id }: { readonly id: string }) {
  const { data } = useQuery(WorkspaceService.method.getWorkspace, { workspaceId: id });
  const name = data?.workspace?.name ?? 'Workspace';
  const base = `/workspaces/${id}/`;
  return (
    <>
      <MenuSection title={name} items={workspaceItems} base={base} />
      <MenuSection title="Settings" items={settingsItems} base={base} />
    </>
  );
}

type MenuSectionProps = {
  readonly title: string;
  readonly items: readonly Item[];
  readonly base: string;
};

function MenuSection({ title, items, base }: MenuSectionProps) {
  const hasScope = useHasScope();
  const shown = items.filter(({ scope }) => hasScope(scope));
  if (shown.length === 0) return null;
  return (
    <MenuGroup title={title}>
      {shown.map(({ label, path }) => (
        <MenuEntry key={path} label={label} path={`${base}${path}`} />
      ))}
    </MenuGroup>
  );
}

function MenuGroup({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const id = useId();
  return (
    <Stack gap={2} role="group" aria-labelledby={id}>
      <Text id={id} title={title} size="xs" fw={600} c="dimmed" px="sm" pt="md" pb={4} truncate>
        {title}
      </Text>
      {children}
    </Stack>
  );
}

type MenuEntryProps = { readonly label: string; readonly path: string; readonly isExact?: boolean };

function MenuEntry({ label, path, isExact = false }: MenuEntryProps) {
  const { pathname } = useLocation();
  const isHere = pathname === path || (!isExact && pathname.startsWith(`${path}/`));
  return (
    <NavLink
      component={Link}
      to={path}
      activeOptions={{ exact: isExact }}
      label={label}
      active={isHere}
      className={classes.entry ?? ''}
    />
  );
}
