import type { Transport } from '@connectrpc/connect';
import { callUnaryMethod, useTransport } from '@connectrpc/connect-query';
import { useQuery } from '@tanstack/react-query';
import { LinkService, type LinkView } from '../../../gen/latchkey/sharing/v1/link_pb.js';

const pageSize = 200;
const pagesMax = 5;

/** The charts cover at most this many views. */
export const latestViewsMax = pageSize * pagesMax;

export type LatestViews = {
  /** The newest first. */
  readonly views: readonly LinkView[];
  /** Whether there are older views. */
  readonly hasMore: boolean;
};

type LinkRef = { readonly workspaceId: string; readonly linkId: string };

/** The views for the charts, independent of the pages that the table has loaded. */
export function useLatestViews(link: LinkRef) {
  const transport = useTransport();
  return useQuery({
    queryKey: ['latest views', link],
    queryFn: ({ signal }) => fetchLatest(transport, link, signal),
  });
}

async function fetchLatest(
  transport: Transport,
  link: LinkRef,
  signal: AbortSignal,
): Promise<LatestViews> {
  const { listLinkViews } = LinkService.method;
  const views: LinkView[] = [];
  let pageToken = '';
  for (let page = 0; page < pagesMax; page++) {
    const request = { ...link, pageSize, pageToken };
    const answer = await callUnaryMethod(transport, listLinkViews, request, { signal });
    views.push(...answer.views);
    pageToken = answer.nextPageToken;
    if (pageToken === '') break;
  }
  return { views, hasMore: pageToken !== '' };
}
