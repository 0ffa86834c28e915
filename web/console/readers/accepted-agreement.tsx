/** That a reader accepted the agreement of the link, and its signed receipt as a file. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import { fetchBytes } from '../session/fetch-bytes.ts';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { useDownload } from '../shared/use-download.ts';

export function AcceptedAgreement({ agreementId }: { readonly agreementId: string }) {
  const { workspaceId = '' } = useParams({ strict: false });
  const query = new URLSearchParams({ workspace_id: workspaceId });
  const receipt = useDownload({
    name: `${agreementId}.json`,
    fetch: (session) => fetchBytes(session, `/api/v1/agreements/${agreementId}/receipt?${query}`),
  });
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <IconCircleCheck size={16} color="var(--mantine-color-teal-text)" aria-hidden />
        <Text size="sm">The reader accepted the agreement.</Text>
        <Button variant="default" size="xs" onClick={receipt.start} loading={receipt.isPending}>
          Download receipt
        </Button>
      </Group>
      <ErrorAlert error={receipt.error} retry={receipt.start} />
    </Stack>
  );
}
