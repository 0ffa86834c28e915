/** The commands of the palette that the scopes of the user allow. */
import { type Icon, IconCopy, IconPlus, IconUserCircle } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useHasScope, useUser } from '../../session/session-context.tsx';
import { copyText } from '../../shared/copy-text.ts';
import { type MenuItem, settingsItems, staffItems, workspaceItems } from '../menu-items.ts';

export type PaletteCommand = {
  readonly id: string;
  readonly group: 'Go to' | 'Create' | 'Copy' | 'Documents';
  readonly label: string;
  readonly icon: Icon;
  readonly run: () => void;
};

type Creation = { readonly label: string; readonly path: string; readonly scope: string };

const workspaceCreations: readonly Creation[] = [
  { label: 'Create link', path: 'links', scope: 'links:write' },
  { label: 'Create API key', path: 'settings/api-keys', scope: 'api_keys:write' },
  { label: 'Invite by email', path: 'members', scope: 'workspaces:write' },
];

const staffCreations: readonly Creation[] = [
  { label: 'Create workspace', path: '/workspaces', scope: 'workspaces:write' },
  { label: 'Create client', path: '/clients', scope: 'clients:write' },
  { label: 'Create customer', path: '/customers', scope: 'customers:write' },
  { label: 'Create user', path: '/users', scope: 'users:write' },
];

export function useCommands(workspaceId: string | undefined): readonly PaletteCommand[] {
  const navigate = useNavigate();
  const hasScope = useHasScope();
  const isStaff = useUser().kind === 'staff';
  const base = `/workspaces/${workspaceId}/`;
  const inWorkspace = <Item extends { readonly path: string }>(items: readonly Item[]) =>
    workspaceId === undefined ? [] : items.map((item) => ({ ...item, path: base + item.path }));

  const places: readonly MenuItem[] = [
    ...inWorkspace([...workspaceItems, ...settingsItems]),
    ...(isStaff ? staffItems : []),
  ];
  const creations = [...inWorkspace(workspaceCreations), ...(isStaff ? staffCreations : [])];
  const copies = [
    { label: 'Copy the address of this page', text: () => location.href },
    ...(workspaceId === undefined ? [] : [{ label: 'Copy workspace ID', text: () => workspaceId }]),
  ];
  return [
    ...places
      .filter(({ scope }) => hasScope(scope))
      .map(({ label, path, icon }) =>
        command('Go to', label, icon, () => void navigate({ to: path })),
      ),
    command('Go to', 'Your account', IconUserCircle, () => void navigate({ to: '/account' })),
    ...creations
      .filter(({ scope }) => hasScope(scope))
      .map(({ label, path }) =>
        command('Create', label, IconPlus, () => {
          void navigate({ to: path, state: { create: crypto.randomUUID() } });
        }),
      ),
    ...copies.map(({ label, text }) =>
      command('Copy', label, IconCopy, () => void copyText(text(), document.body)),
    ),
  ];
}

const command = (
  group: PaletteCommand['group'],
  label: string,
  icon: Icon,
  run: () => void,
): PaletteCommand => ({
  id: `${group} ${label}`,
  group,
  label,
  icon,
  run,
});

/** Whether the label contains every word of the query. */
export function matchesCommand({ group, label }: PaletteCommand, query: string): boolean {
  const text = `${group} ${label}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
