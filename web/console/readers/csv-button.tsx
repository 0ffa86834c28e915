import { Button } from '@mantine/core';
import { IconFileTypeCsv } from '@tabler/icons-react';
import { fetchBytes } from '../session/fetch-bytes.ts';
import { type Download, useDownload } from '../shared/use-download.ts';

/** `path`: of the resource in the API, such as `/links/lnk_1/views.csv`. `name`: of the file. */
export function useCsv(path: string, workspaceId: string, name: string): Download {
  const query = new URLSearchParams({ workspace_id: workspaceId });
  return useDownload({
    name,
    fetch: (session) => fetchBytes(session, `/api/v1${path}?${query}`),
  });
}

export function CsvButton({ download }: { readonly download: Download }) {
  return (
    <Button
      variant="default"
      leftSection={<IconFileTypeCsv size={16} />}
      onClick={download.start}
      loading={download.isPending}
    >
      Download CSV
    </Button>
  );
}
