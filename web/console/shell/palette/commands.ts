/** The commands of the palette that the scopes of the user allow. */
import { type Icon, IconCopy, IconPlus } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useHasScope } from '../../session/session-context.tsx';
import { copyText } from '../../shared/copy-text.ts';
import { useMenu } from '../../shared/screens.ts';

export type PaletteCommand = {
  readonly id: string;
  readonly group: 'Go to' | 'Create' | 'Copy' | 'Results';
  readonly label: string;
  /** A second line: the type and the owners of a resource. */
  readonly description?: string;
  readonly icon: Icon;
  readonly run: () => void;
};

export function useCommands(workspaceId: string | undefined): readonly PaletteCommand[] {
  const navigate = useNavigate();
  const hasScope = useHasScope();
  const menu = useMenu(workspaceId);
  const screens = (['workspace', 'settings', 'administration', 'user'] as const).flatMap(menu);
  const copies = [
    { label: 'Copy the address of this page', text: () => location.href },
    ...(workspaceId === undefined ? [] : [{ label: 'Copy workspace ID', text: () => workspaceId }]),
  ];
  return [
    ...screens.map(({ label, path, icon }) =>
      command('Go to', label, icon, () => void navigate({ to: path })),
    ),
    ...screens.flatMap(({ path, create }) =>
      create === undefined || !hasScope(create.scope)
        ? []
        : [
            command('Create', create.label, IconPlus, () => {
              void navigate({ to: path, state: { create: crypto.randomUUID() } });
            }),
          ],
    ),
    ...copies.map(({ label, text }) =>
      command('Copy', label, IconCopy, () => void copyText(text(), document.body)),
    ),
  ];
}

const command = (
  group: PaletteCommand['group'],
  label: string,
  icon: Icon = IconPlus,
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
