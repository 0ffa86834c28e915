import { Group, Paper, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';

export type AccountCardProps = {
  readonly title: string;
  /** A badge next to the title. */
  readonly state?: ReactNode;
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
};

/** A titled section of the account screen. */
export function AccountCard({ title, state, about, actions, children }: AccountCardProps) {
  const id = useId();
  return (
    <Paper component="section" withBorder p="lg" aria-labelledby={id}>
      <Stack gap="md">
        <Group justify="space-between" align="flex-start" gap="sm">
          <div>
            <Group gap="sm">
              <Title order={2} size="h3" id={id}>
                {title}
              </Title>
              {state}
            </Group>
            {about === undefined ? null : (
              <Text size="sm" c="dimmed" mt={4} maw="60ch">
                {about}
              </Text>
            )}
          </div>
          {actions}
        </Group>
        {children}
      </Stack>
    </Paper>
  );
}
