/** Lists that come in pages (AIP-158). */
import type {
  DescMessage,
  DescMethodUnary,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf';
import { useInfiniteQuery } from '@connectrpc/connect-query';

export type Paged<Row> = {
  /** Those that have come so far; undefined before the first page. */
  readonly rows: readonly Row[] | undefined;
  readonly error: Error | null;
  readonly isLoadingMore: boolean;
  readonly hasMore: boolean;
  loadMore(): void;
  reload(): void;
};

type PagedRequest = { readonly pageToken?: string };
type PagedResponse = { readonly nextPageToken: string };

/** Asks a method whose request has `page_token`, and whose answer has `next_page_token`. */
export function usePaged<I extends DescMessage, O extends DescMessage, Row>(
  method: DescMethodUnary<I, O>,
  request: Omit<MessageInitShape<I>, 'pageToken' | '$typeName'>,
  rowsOf: (page: MessageShape<O>) => readonly Row[],
): Paged<Row> {
  const first = { ...request, pageToken: '' } as unknown as Required<PagedRequest>;
  const query = useInfiniteQuery(
    method as unknown as DescMethodUnary<DescMessage & { field: object }, O>,
    first as never,
    {
      pageParamKey: 'pageToken' as never,
      getNextPageParam: (last) =>
        ((last as unknown as PagedResponse).nextPageToken || undefined) as never,
    },
  );
  return {
    rows: query.data?.pages.flatMap((page) => rowsOf(page as MessageShape<O>)),
    error: query.error,
    isLoadingMore: query.isFetchingNextPage,
    hasMore: query.hasNextPage,
    loadMore: () => void query.fetchNextPage(),
    reload: () => void query.refetch(),
  };
}
