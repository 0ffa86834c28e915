import { Button } from '@mantine/core';
import { IconFileTypeCsv } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { fetchBytes } from '../session/fetch-bytes.ts';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { Section } from '../shared/section.tsx';
import { useDownload } from '../shared/use-download.ts';

export type ReadersSectionProps = {
  /** The path of the resource in the API, such as `/links/lnk_1`. */
  readonly path: string;
  readonly workspaceId: string;
  /** The name of the document or of the link, for the name of the file. */
  readonly name: string;
  readonly hasViews: boolean;
  readonly children: ReactNode;
};

/** Who read it, with a button that saves all views as CSV. */
export function ReadersSection({
  path,
  workspaceId,
  name,
  hasViews,
  children,
}: ReadersSectionProps) {
  const query = new URLSearchParams({ workspace_id: workspaceId });
  const download = useDownload({
    name: `${name} views.csv`,
    fetch: (session) => fetchBytes(session, `/api/v1${path}/views.csv?${query}`),
  });
  const button = (
    <Button
      variant="default"
      leftSection={<IconFileTypeCsv size={16} />}
      onClick={download.start}
      loading={download.isPending}
    >
      Download CSV
    </Button>
  );
  return (
    <Section title="Readers" actions={hasViews ? button : undefined}>
      {download.error === undefined ? null : (
        <ErrorAlert error={download.error} retry={download.start} />
      )}
      {children}
    </Section>
  );
}
