/** Who opened a link, when, and how much they read. */
import type { Document } from '../../../gen/latchkey/sharing/v1/document_pb.js';
import { InsightService } from '../../../gen/latchkey/sharing/v1/insight_pb.js';
import {
  type Link,
  LinkService,
  type ListLinkViewsResponse,
} from '../../../gen/latchkey/sharing/v1/link_pb.js';
import { InsightFigures } from '../readers/insight-figures.tsx';
import { ReadersSection } from '../readers/readers-section.tsx';
import { documentColumn, ReadersTable, readerColumns } from '../readers/readers-table.tsx';
import { TimePerPage } from '../readers/time-per-page.tsx';
import { useInsight } from '../readers/use-insight.ts';
import { ViewsPerDay } from '../readers/views-per-day.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { defineList, useList } from '../shared/lists/define-list.ts';
import { isEmptyList } from '../shared/lists/listing.tsx';
import { targetNameOf } from './link-state.tsx';
import { RoomDocuments } from './rooms/room-documents.tsx';

export type LinkReadersProps = {
  readonly link: Link;
  readonly document: Document | undefined;
};

/** The charts and the settings stay within reach. */
const shownReaders = 20;

const shared = {
  label: 'Views',
  method: LinkService.method.listLinkViews,
  rows: (page: ListLinkViewsResponse) => page.views,
  request: (at: { readonly workspaceId: string; readonly linkId: string }) => ({
    ...at,
    pageSize: shownReaders,
  }),
  isLive: true,
};

const linkViews = defineList({ ...shared, columns: readerColumns() });

const roomViews = defineList({ ...shared, columns: readerColumns(documentColumn) });

export function LinkReaders({ link, document }: LinkReadersProps) {
  const { workspaceId, id: linkId, revokeTime } = link;
  const isRoom = link.folderId !== '';
  const list = useList(isRoom ? roomViews : linkViews, { workspaceId, linkId });
  const { insight, error, retry } = useInsight(
    InsightService.method.getLinkInsight,
    { workspaceId, linkId },
    { total: list.search?.query === '' ? list.total : undefined },
  );
  const isRead = insight !== undefined && insight.viewCount > 0;
  return (
    <>
      <ErrorAlert error={error} retry={retry} />
      <InsightFigures insight={insight} viewCount={link.viewCount} isRoom={isRoom} />
      {isRead && !isRoom ? <TimePerPage insight={insight} /> : null}
      {isRead && isRoom ? <RoomDocuments documents={insight.documents} /> : null}
      <ReadersSection
        path={`/links/${linkId}`}
        workspaceId={workspaceId}
        name={link.name || targetNameOf(link)}
        hasViews={!isEmptyList(list)}
      >
        <ReadersTable
          list={list}
          document={document}
          emptyText={
            revokeTime === undefined
              ? 'Send the URL to someone. New views appear here within a few seconds.'
              : 'The link was revoked before anyone opened it.'
          }
        />
        {isRead ? <ViewsPerDay insight={insight} /> : null}
      </ReadersSection>
    </>
  );
}
