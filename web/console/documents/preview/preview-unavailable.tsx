import { Paper, Text } from '@mantine/core';

/** Says why there is nothing to see. */
export function PreviewUnavailable({ text }: { readonly text: string }) {
  return (
    <Paper withBorder p="lg">
      <Text c="dimmed">{text}</Text>
    </Paper>
  );
}
