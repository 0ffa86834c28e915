import { Group, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';

export type SectionProps = {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
};

/** A titled section of a screen. */
export function Section({ title, actions, children }: SectionProps) {
  return (
    <Stack component="section" aria-label={title} gap="sm">
      <Group justify="space-between" gap="sm">
        <Title order={2}>{title}</Title>
        {actions === undefined ? null : <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}
