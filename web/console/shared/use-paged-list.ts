/** Lists that the API returns in pages (AIP-158). */
import type {
  DescMessage,
  DescMethodUnary,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf';
import { callUnaryMethod, createConnectQueryKey, useTransport } from '@connectrpc/connect-query';
import { useInfiniteQuery } from '@tanstack/react-query';

export type PagedList<Row> = {
  /** All loaded rows; undefined before the first page. */
  readonly rows: readonly Row[] | undefined;
  readonly error: Error | null;
  readonly isLoadingMore: boolean;
  readonly hasMore: boolean;
  loadMore(): void;
  reload(): void;
};

/** A method with `page_token` in its request and `next_page_token` in its response. */
type PagedListMethod<I extends DescMessage, O extends DescMessage> = DescMethodUnary<I, O> &
  (MessageShape<O> extends { readonly nextPageToken: string } ? unknown : never);

type PagedListOptions = {
  /** If false, nothing is requested and the list is empty. */
  readonly enabled?: boolean;
};

export function usePagedList<I extends DescMessage, O extends DescMessage, Row>(
  method: PagedListMethod<I, O>,
  request: MessageInitShape<I>,
  rowsOf: (page: MessageShape<O>) => readonly Row[],
  { enabled = true }: PagedListOptions = {},
): PagedList<Row> {
  const transport = useTransport();
  const query = useInfiniteQuery({
    queryKey: createConnectQueryKey({
      schema: method,
      transport,
      input: request,
      cardinality: 'infinite',
    }),
    queryFn: ({ pageParam, signal }) => {
      const input = { ...request, pageToken: pageParam } as MessageInitShape<I>;
      return callUnaryMethod(transport, method, input, { signal });
    },
    initialPageParam: '',
    getNextPageParam: nextPageTokenOf,
    // A screen that opens again must not show older counts than the screen before it.
    refetchOnMount: 'always',
    enabled,
  });
  return {
    rows: enabled ? query.data?.pages.flatMap(rowsOf) : [],
    error: enabled ? query.error : null,
    isLoadingMore: query.isFetchingNextPage,
    hasMore: enabled && query.hasNextPage,
    loadMore: () => void query.fetchNextPage(),
    reload: () => void query.refetch(),
  };
}

function nextPageTokenOf(page: object): string | undefined {
  const token = 'nextPageToken' in page ? page.nextPageToken : undefined;
  return typeof token === 'string' && token !== '' ? token : undefined;
}
