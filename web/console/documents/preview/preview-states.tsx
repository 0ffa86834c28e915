/** Shown in place of a preview. */
import { Center, Loader, Paper, Text } from '@mantine/core';

export function PreviewLoading() {
  return (
    <Center p="xl">
      <Loader aria-label="Loading the preview" />
    </Center>
  );
}

export function PreviewUnavailable({ text }: { readonly text: string }) {
  return (
    <Paper withBorder p="lg">
      <Text c="dimmed">{text}</Text>
    </Paper>
  );
}

export function PreviewDamaged() {
  return <PreviewUnavailable text="The preview isn’t available because the file is damaged." />;
}
