/** A list is declared once: what it requests, its columns, its filters and its order. */
import type {
  DescMessage,
  DescMethodUnary,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf';
import type { Transport } from '@connectrpc/connect';
import type { QueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { type ComponentType, type ReactNode, useMemo } from 'react';
import { useSessionState } from '../../session/session-context.tsx';
import { type Filters, readFilters } from './filters.ts';
import { namesOf, useListState } from './use-list-state.ts';
import {
  type PagedList,
  type PagedListMethod,
  pagesOf,
  prefetchPages,
  usePagedList,
  wantedOf,
} from './use-paged-list.ts';

export type Column<Row> = {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Whether it contains the actions, so that only screen readers get the title. */
  readonly isTitleHidden?: boolean;
  /** Whether the text comes from users and may be very long. */
  readonly isFree?: boolean;
  /** Whether a row with two lines shows the value without the title. */
  readonly isPlain?: boolean;
  /** Whether a row with two lines shows the value on another line, without the title. */
  readonly isBlock?: boolean;
  /** Whether the row has no value: a dash in a table, and nothing in a row with two lines. */
  readonly isAbsent?: (row: Row) => boolean;
  /** Whether a window narrower than 1,200 pixels hides it. The page of the row shows it, too. */
  readonly isMinor?: boolean;
  /** Whether a window between 900 and 1,200 pixels hides it. Rows with two lines show it. */
  readonly isSpare?: boolean;
  /** The field of `order_by`. */
  readonly orderBy?: string;
  /** Whether the first click sorts the highest values first, as for times and numbers. */
  readonly isNewestFirst?: boolean;
  /** The scope that the column requires. */
  readonly scope?: string;
};

/** Lets the user select rows, and offers actions for the selected ones. */
export type Selection<Row> = {
  /** Names the row for screen readers. */
  readonly nameOf: (row: Row) => string;
  readonly isSelectable?: (row: Row) => boolean;
  /** The scope that the actions require. */
  readonly scope: string;
  /** The buttons for the selected rows. */
  readonly actions: ComponentType<SelectionActionsProps<Row>>;
};

export type SelectionActionsProps<Row> = {
  readonly rows: readonly Row[];
  readonly clear: () => void;
};

type Values = Readonly<Record<string, string | undefined>>;

/** The request of a list. */
export type RequestedList = {
  readonly method: DescMethodUnary;
  readonly request: (at: never, query: string) => object;
  readonly filters: Filters;
  readonly name: string;
};

export type ListDefinition<Row> = RequestedList & {
  /** The items, such as `API keys`. */
  readonly label: string;
  readonly rows: (page: never) => readonly Row[];
  readonly idOf: (row: Row) => string;
  readonly columns: readonly Column<Row>[];
  readonly selection?: Selection<Row>;
  readonly isLive: boolean;
};

/** `At`: the parameters of the path and the filters that select the rows. */
export type DefinedList<Row, At> = ListDefinition<Row> & { readonly at?: (at: At) => void };

type ListOptions<I extends DescMessage, O extends DescMessage, Row, At> = {
  readonly label: string;
  readonly method: PagedListMethod<I, O>;
  readonly rows: (page: MessageShape<O>) => readonly Row[];
  /**
   * The request for the parameters of the path, the filters and the text that is searched; unset
   * if the parameters and the filters are the request.
   */
  readonly request?: (at: At, query: string) => MessageInitShape<I>;
  /** By default the `id`. */
  readonly idOf?: (row: Row) => string;
  readonly columns: readonly Column<Row>[];
  readonly selection?: Selection<Row>;
  /** Parameters of the address that filter the list. */
  readonly filters?: Filters;
  /** The prefix of its parameters in the address, if the screen has several lists. */
  readonly name?: string;
  /** Whether it is requested again every 10 seconds while the page is visible. */
  readonly isLive?: boolean;
};

export function defineList<I extends DescMessage, O extends DescMessage, Row, At = Values>(
  options: ListOptions<I, O, Row, At>,
): DefinedList<Row, At> {
  const { request = (at) => at as MessageInitShape<I>, idOf = idOfRow } = options;
  return { filters: {}, name: '', isLive: false, ...options, request, idOf };
}

const idOfRow = (row: unknown) => (row as { readonly id: string }).id;

/** A list with its rows. */
export type ShownList<Row> = PagedList<Row> & {
  readonly definition: ListDefinition<Row>;
  /** The columns that the user's scopes allow. */
  readonly columns: readonly Column<Row>[];
  /** Undefined if the user's scopes do not allow the actions. */
  readonly selection: Selection<Row> | undefined;
  readonly isFiltered: boolean;
};

const noScopes: ReadonlySet<string> = new Set();

/** Requests the rows. If not `enabled`, nothing is requested and the list is empty. */
export function useList<Row, At>(
  definition: DefinedList<Row, At>,
  at: At,
  { enabled = true }: { readonly enabled?: boolean } = {},
): ShownList<Row> {
  const state = useSessionState();
  const search: object = useSearch({ strict: false });
  const { method, rows, request, name, isLive, columns, selection, filters } = definition;
  const { query } = useListState(name);
  // The same array each time, so that the rows need not render again.
  const held = state.status === 'in' ? state.scopes : noScopes;
  const shown = useMemo(
    () => columns.filter(({ scope }) => scope === undefined || held.has(scope)),
    [columns, held],
  );
  const filtered = readFilters(filters, search);
  const list = usePagedList(
    method as PagedListMethod<DescMessage, DescMessage>,
    request({ ...at, ...filtered } as never, query) as MessageInitShape<DescMessage>,
    rows as (page: object) => readonly Row[],
    { enabled, isLive, name },
  );
  return {
    ...list,
    definition,
    columns: shown,
    selection: selection && held.has(selection.scope) ? selection : undefined,
    isFiltered: Object.keys(filtered).length > 0,
  };
}

/** Requests the first page before the screen is shown. */
export function prefetchList(
  queries: QueryClient,
  transport: Transport,
  { method, request, name, filters }: RequestedList,
  params: Values,
  search: object,
): void {
  const { query, order } = namesOf(name);
  const values = search as Readonly<Record<string, unknown>>;
  const at = { ...params, ...readFilters(filters, search) };
  const text = String(values[query] ?? '');
  const wanted = wantedOf(request(at as never, text), text, values[order]);
  const anyMethod = method as PagedListMethod<DescMessage, DescMessage>;
  void prefetchPages(queries, pagesOf(transport, anyMethod, wanted));
}
