/** Lists that the API returns in pages (AIP-158), with its search and its order (AIP-132). */
import type {
  DescMessage,
  DescMethodUnary,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf';
import type { Transport } from '@connectrpc/connect';
import { callUnaryMethod, createConnectQueryKey, useTransport } from '@connectrpc/connect-query';
import {
  infiniteQueryOptions,
  keepPreviousData,
  type Query,
  type QueryClient,
  useInfiniteQuery,
} from '@tanstack/react-query';
import { useMemo } from 'react';
import { useListState } from './use-list-state.ts';

export type PagedList<Row> = {
  /** All loaded rows; undefined before the first page. */
  readonly rows: readonly Row[] | undefined;
  /** The number of all rows; undefined if the API does not return it. */
  readonly total: number | undefined;
  readonly error: Error | null;
  readonly isLoadingMore: boolean;
  readonly hasMore: boolean;
  /** Undefined if the API cannot search the list. */
  readonly search: ListSearch | undefined;
  /** Undefined if the API cannot order the list. */
  readonly order: ListOrder | undefined;
  loadMore(): void;
  reload(): void;
};

export type ListSearch = {
  /** The text that the rows match; empty for all rows. */
  readonly query: string;
  /** Searches after a pause in the typing. */
  change(text: string): void;
};

export type ListOrder = {
  /** The `order_by` of the API, such as `name desc`; empty for its default. */
  readonly by: string;
  change(by: string): void;
};

/** A method with `page_token` in its request and `next_page_token` in its response. */
export type PagedListMethod<I extends DescMessage, O extends DescMessage> = DescMethodUnary<I, O> &
  (MessageShape<O> extends { readonly nextPageToken: string } ? unknown : never);

type PagedListOptions = {
  /** If false, nothing is requested and the list is empty. */
  readonly enabled?: boolean;
  /** If true, the list is requested again every 10 seconds while the page is visible. */
  readonly isLive?: boolean;
  /**
   * The prefix of its parameters in the address, if the screen has several lists. `null` if the
   * list belongs to no screen, such as that of a menu.
   */
  readonly name?: string | null;
};

const liveIntervalMs = 10_000;

/** A list that the router requested for the screen is not requested again. */
const justNowMs = 3_000;

/** When the router received the data of a query. */
const prefetchTimes = new WeakMap<object, number>();

export function usePagedList<I extends DescMessage, O extends DescMessage, Row>(
  method: PagedListMethod<I, O>,
  request: MessageInitShape<I>,
  rowsOf: (page: MessageShape<O>) => readonly Row[],
  { enabled = true, isLive = false, name = '' }: PagedListOptions = {},
): PagedList<Row> {
  const transport = useTransport();
  const { query, orderBy, setQuery, setOrderBy } = useListState(name);
  const pages = useInfiniteQuery({
    ...pagesOf(transport, method, wantedOf(request, query, orderBy)),
    // A screen that opens again must not show older counts than the screen before it.
    refetchOnMount: (of) => (isJustPrefetched(of) ? false : 'always'),
    placeholderData: keepPreviousData,
    enabled,
    refetchInterval: isLive && liveIntervalMs,
  });
  // The same array each time, so that the rows need not render again.
  const rows = useMemo(() => pages.data?.pages.flatMap(rowsOf), [pages.data, rowsOf]);
  const can = (field: string) => method.input.fields.some(({ name }) => name === field);
  return {
    rows: enabled ? rows : [],
    total: enabled ? totalOf(pages.data?.pages.at(-1)) : 0,
    error: enabled ? pages.error : null,
    isLoadingMore: pages.isFetchingNextPage,
    hasMore: enabled && pages.hasNextPage,
    search: can('query') ? { query, change: setQuery } : undefined,
    order: can('order_by') ? { by: orderBy, change: setOrderBy } : undefined,
    loadMore: () => void pages.fetchNextPage(),
    reload: () => void pages.refetch(),
  };
}

function isJustPrefetched(query: Pick<Query, 'state'>): boolean {
  const { dataUpdatedAt } = query.state;
  return prefetchTimes.get(query) === dataUpdatedAt && Date.now() - dataUpdatedAt < justNowMs;
}

/** Requests the first page before the screen is shown. */
export async function prefetchPages(
  queries: QueryClient,
  options: ReturnType<typeof pagesOf>,
): Promise<void> {
  await queries.prefetchInfiniteQuery({ ...options, staleTime: 1_000 });
  const query = queries.getQueryCache().find({ queryKey: options.queryKey });
  if (query !== undefined) prefetchTimes.set(query, query.state.dataUpdatedAt);
}

/** The request of a list with its search and its order. */
export const wantedOf = <Request extends object>(
  request: Request,
  query: unknown,
  by: unknown,
) => ({
  ...request,
  ...(query === '' || query === undefined ? {} : { query: String(query) }),
  ...(by === '' || by === undefined ? {} : { orderBy: String(by) }),
});

/** The query of all pages. */
export function pagesOf<I extends DescMessage, O extends DescMessage>(
  transport: Transport,
  schema: PagedListMethod<I, O>,
  wanted: object,
) {
  const input = wanted as MessageInitShape<I>;
  return infiniteQueryOptions({
    queryKey: createConnectQueryKey({ schema, transport, input, cardinality: 'infinite' }),
    queryFn: ({ pageParam, signal }) => {
      const page: object = { ...wanted, pageToken: pageParam };
      return callUnaryMethod(transport, schema, page as MessageInitShape<I>, { signal });
    },
    initialPageParam: '',
    getNextPageParam: nextPageTokenOf,
  });
}

function nextPageTokenOf(page: object): string | undefined {
  const token = 'nextPageToken' in page ? page.nextPageToken : undefined;
  return typeof token === 'string' && token !== '' ? token : undefined;
}

function totalOf(page: object | undefined): number | undefined {
  const total = page !== undefined && 'totalSize' in page ? page.totalSize : undefined;
  return typeof total === 'number' || typeof total === 'bigint' ? Number(total) : undefined;
}
