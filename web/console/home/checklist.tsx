/** The steps of a first setup, shown until all of them are done. */
import { Group, Paper, Stack, Text, Title, VisuallyHidden } from '@mantine/core';
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react';
import type { ReactNode } from 'react';

export type Step = {
  readonly title: string;
  readonly text: string;
  readonly isDone: boolean;
  /** A link to the place of the step, shown until the step is done. */
  readonly action?: ReactNode;
};

export function Checklist({ steps }: { readonly steps: readonly Step[] }) {
  const done = steps.filter(({ isDone }) => isDone).length;
  if (done === steps.length) return null;
  return (
    <Paper component="section" aria-label="Setup" withBorder p="md">
      <Group justify="space-between" gap="sm" mb="md">
        <Title order={2}>Setup</Title>
        <Text size="sm" c="dimmed">
          {done} of {steps.length} done
        </Text>
      </Group>
      <Stack component="ol" gap="md" m={0} p={0}>
        {steps.map((step) => (
          <ChecklistStep key={step.title} {...step} />
        ))}
      </Stack>
    </Paper>
  );
}

function ChecklistStep({ title, text, isDone, action }: Step) {
  return (
    <Group component="li" gap="sm" wrap="nowrap" align="flex-start">
      {isDone ? (
        <IconCircleCheckFilled size={22} color="var(--mantine-color-teal-text)" aria-hidden />
      ) : (
        <IconCircle size={22} stroke={1.5} color="var(--mantine-color-dimmed)" aria-hidden />
      )}
      <Stack gap={2} flex={1} miw={0}>
        <Text fw={500}>
          {title}
          {isDone ? <VisuallyHidden> (done)</VisuallyHidden> : null}
        </Text>
        {isDone ? null : (
          <Text size="sm" c="dimmed">
            {text}
          </Text>
        )}
        {isDone || action === undefined ? null : <Text size="sm">{action}</Text>}
      </Stack>
    </Group>
  );
}
