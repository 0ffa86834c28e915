/** How much each document of a room was read. */
import { useParams } from '@tanstack/react-router';
import { useRef } from 'react';
import { formatDuration } from '../../../../clients/cli/src/base/format-duration.ts';
import type { DocumentReading } from '../../../../gen/latchkey/sharing/v1/insight_pb.js';
import type { Column } from '../../shared/lists/define-list.ts';
import { ListingTable } from '../../shared/lists/listing-table.tsx';
import { ResourceLink } from '../../shared/resource-link.tsx';
import { Section } from '../../shared/section.tsx';

export function RoomDocuments({ documents }: { readonly documents: readonly DocumentReading[] }) {
  const table = useRef<HTMLTableElement>(null);
  return (
    <Section title="Documents">
      <ListingTable
        label="Read documents"
        columns={columns}
        rows={documents}
        idOf={({ documentId }) => documentId}
        order={undefined}
        table={table}
        details={undefined}
      />
    </Section>
  );
}

const columns: readonly Column<DocumentReading>[] = [
  { title: 'Document', cell: (reading) => <DocumentLink {...reading} /> },
  { title: 'Views', cell: ({ viewCount }) => viewCount.toLocaleString() },
  { title: 'Readers', cell: ({ visitorCount }) => visitorCount.toLocaleString() },
  {
    title: 'Average time',
    isAbsent: ({ averageDurationMs }) => averageDurationMs === 0,
    cell: ({ averageDurationMs }) => formatDuration(averageDurationMs),
  },
  {
    title: 'Downloads',
    isMinor: true,
    isAbsent: ({ downloadCount }) => downloadCount === 0,
    cell: ({ downloadCount }) => downloadCount.toLocaleString(),
  },
];

function DocumentLink({ documentId, documentName }: DocumentReading) {
  const { workspaceId } = useParams({ strict: false });
  return <ResourceLink id={documentId} name={documentName} workspaceId={workspaceId} />;
}
