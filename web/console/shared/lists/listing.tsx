/** A list, shown as a table. */
import { Button, Center, Group, Stack } from '@mantine/core';
import { type Icon, IconInbox } from '@tabler/icons-react';
import { type ReactNode, type RefObject, useDeferredValue, useLayoutEffect, useRef } from 'react';
import { ErrorAlert } from '../error-alert.tsx';
import type { ShownList } from './define-list.ts';
import { EmptyList, NoMatch, NoResults } from './empty-list.tsx';
import { FilterForm } from './filter-form.tsx';
import { ListSearchField } from './list-search-field.tsx';
import classes from './listing.module.css';
import { ListingTable, LoadingTable, rowSelector } from './listing-table.tsx';
import { SelectionBar, useSelectedRows } from './selection.tsx';

export type ListingProps<Row> = {
  readonly list: ShownList<Row>;
  /** Shown for an empty list. */
  readonly empty: Empty;
  /** Shown if no row has the values of the filters. */
  readonly noMatch?: { readonly title: string; readonly text: string };
  /** A custom filter next to the search. */
  readonly filter?: ReactNode;
  /** Shown below a row after a click on its `RowToggle`. Keep it stable. */
  readonly details?: (row: Row) => ReactNode;
};

export type Empty = {
  readonly title: string;
  readonly text: string;
  readonly icon?: Icon;
  readonly action?: ReactNode;
};

/** Whether the list has no rows, so that its empty state offers the action of the screen. */
export function isEmptyList<Row>({ rows, search, isFiltered }: ShownList<Row>): boolean {
  return rows?.length === 0 && !isFiltered && (search === undefined || search.query === '');
}

export function Listing<Row>({ list, empty, noMatch, filter, details }: ListingProps<Row>) {
  const { definition, columns, error, search, order } = list;
  const { label, idOf, filters } = definition;
  // The rows render in small steps, between which the browser handles keys and clicks.
  const rows = useDeferredValue(list.rows);
  const selected = useSelectedRows(list.selection, rows, idOf);
  const table = useRef<HTMLTableElement>(null);
  const loadMore = useLoadMore({ ...list, rows }, table);
  const isSearching = search !== undefined && search.query !== '';
  const hasRows = rows !== undefined && rows.length > 0;
  const hasFilters = filter !== undefined || Object.keys(filters).length > 0;
  const isBare = filter === undefined && isEmptyList(list);
  return (
    <Stack gap="sm">
      <ErrorAlert error={error} retry={list.reload} />
      {(!hasFilters && !hasRows && !isSearching) || isBare ? null : (
        <Toolbar list={list} filter={filter} />
      )}
      {rows === undefined && error === null ? <LoadingTable label={label} /> : null}
      {rows?.length === 0 ? (
        isSearching ? (
          <NoResults search={search} />
        ) : list.isFiltered && noMatch !== undefined ? (
          <NoMatch {...empty} {...noMatch} label={label} filters={filters} />
        ) : (
          <EmptyList icon={IconInbox} {...empty} />
        )
      ) : null}
      {hasRows ? (
        <ListingTable {...{ label, columns, idOf, rows, table, details, order, selected }} />
      ) : null}
      {selected === undefined ? null : <SelectionBar selected={selected} />}
      {list.hasMore ? (
        <Center>
          <Button variant="default" loading={list.isLoadingMore} onClick={loadMore}>
            Load more
          </Button>
        </Center>
      ) : null}
    </Stack>
  );
}

type ToolbarProps<Row> = Pick<ListingProps<Row>, 'list' | 'filter'>;

function Toolbar<Row>({ list: { definition, search, total }, filter }: ToolbarProps<Row>) {
  const { label, filters } = definition;
  const hasFilters = Object.keys(filters).length > 0;
  if (search === undefined && !hasFilters && filter === undefined && total === undefined) {
    return null;
  }
  return (
    <Group gap="xs" align="center">
      {search === undefined ? null : <ListSearchField label={label} search={search} />}
      {hasFilters ? <FilterForm filters={filters} /> : filter}
      {total === undefined ? null : (
        <span className={classes.total} role="status">
          {totalText(total)}
        </span>
      )}
    </Group>
  );
}

/** The API counts up to this number. */
const totalMax = 10_000;

function totalText(total: number): string {
  if (total >= totalMax) return `${totalMax.toLocaleString()} or more`;
  return total === 1 ? '1 entry' : `${total.toLocaleString()} entries`;
}

/** Loads the next page. After the last page the button disappears; the first new row gets focus. */
function useLoadMore<Row>(
  list: Pick<ShownList<Row>, 'rows' | 'isLoadingMore' | 'hasMore' | 'loadMore'>,
  table: RefObject<HTMLTableElement | null>,
) {
  const { rows = [], isLoadingMore, hasMore } = list;
  const next = useRef<number>(undefined);
  useLayoutEffect(() => {
    if (isLoadingMore || next.current === undefined || rows.length <= next.current) return;
    const row = table.current?.querySelectorAll<HTMLTableRowElement>(rowSelector)[next.current];
    next.current = undefined;
    if (hasMore || row === undefined) return;
    row.tabIndex = -1;
    row.focus();
  }, [isLoadingMore, hasMore, rows.length, table]);
  return () => {
    next.current = rows.length;
    list.loadMore();
  };
}
