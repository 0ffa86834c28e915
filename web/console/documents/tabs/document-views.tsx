/** The views of a document: all of them, and the newest. */
import { InsightService } from '../../../../gen/latchkey/sharing/v1/insight_pb.js';
import type { LinkView } from '../../../../gen/latchkey/sharing/v1/link_pb.js';
import { LinkName } from '../../links/link-name.tsx';
import { readerColumns } from '../../readers/readers-table.tsx';
import { defineList } from '../../shared/lists/define-list.ts';

type At = { readonly workspaceId: string; readonly documentId: string };

const recentMax = 10;

const shared = {
  method: InsightService.method.listDocumentViews,
  rows: (page: { readonly views: LinkView[] }) => page.views,
  columns: readerColumns({
    title: 'Link',
    isFree: true,
    cell: (view) => <LinkName view={view} />,
  }),
  isLive: true,
};

export const documentViews = defineList({ ...shared, label: 'Views', request: (at: At) => at });

export const recentViews = defineList({
  ...shared,
  label: 'Recent views',
  name: 'recent',
  request: (at: At) => ({ ...at, pageSize: recentMax }),
});

export const emptyText = 'Share the document. You see here who opens it and which pages they read.';
