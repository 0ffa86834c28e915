import { Paper, Text } from '@mantine/core';

export function PreviewUnavailable({ text }: { readonly text: string }) {
  return (
    <Paper withBorder p="lg">
      <Text c="dimmed">{text}</Text>
    </Paper>
  );
}
