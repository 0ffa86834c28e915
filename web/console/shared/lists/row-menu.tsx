/** The actions of a table row. */
import { ActionIcon, Group, Menu } from '@mantine/core';
import { type Icon, IconDots } from '@tabler/icons-react';
import type { ReactNode } from 'react';

export type RowAction = {
  readonly label: string;
  readonly icon: Icon;
  readonly run: () => void;
};

export type RowMenuProps = {
  /** Names the row for screen readers. */
  readonly name: string;
  /** False: the action is not offered. */
  readonly actions: readonly (RowAction | false)[];
  /** Buttons for the most common action. */
  readonly children?: ReactNode;
};

export function RowMenu({ name, actions, children }: RowMenuProps) {
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      {children}
      <ActionMenu name={name} actions={actions} />
    </Group>
  );
}

/** A menu behind a “⋯” button. Nothing without an action. */
export function ActionMenu({ name, actions }: Pick<RowMenuProps, 'name' | 'actions'>) {
  const offered = actions.filter((action) => action !== false);
  if (offered.length === 0) return null;
  return (
    <Menu position="bottom-end" width={250}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${name}`}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {offered.map(({ label, icon: ActionIconOf, run }) => (
          <Menu.Item
            key={label}
            leftSection={<ActionIconOf size={16} stroke={1.75} />}
            onClick={run}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
