/** A list, shown as a table. */
import { Button, Center, Group, Stack } from '@mantine/core';
import { type Icon, IconInbox } from '@tabler/icons-react';
import { type ReactNode, type RefObject, useLayoutEffect, useRef } from 'react';
import { EmptyList, NoResults } from './empty-list.tsx';
import { ErrorAlert } from './error-alert.tsx';
import { ListSearchField } from './list-search-field.tsx';
import classes from './listing.module.css';
import { ListingTable, LoadingTable, rowSelector } from './listing-table.tsx';
import type { PagedList } from './use-paged-list.ts';

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
};

export type ListingProps<Row> = {
  /** The items, such as `API keys`. */
  readonly label: string;
  readonly list: PagedList<Row>;
  readonly columns: readonly Column<Row>[];
  readonly idOf: (row: Row) => string;
  /** Shown for an empty list. */
  readonly empty: {
    readonly title: string;
    readonly text: string;
    readonly icon?: Icon;
    readonly action?: ReactNode;
  };
  /** Filters next to the search. */
  readonly filters?: ReactNode;
  /** Shown below a row after a click on its `RowToggle`. */
  readonly details?: (row: Row) => ReactNode;
};

/** Whether the list has no rows, so that its empty state offers the action of the screen. */
export function isEmptyList<Row>({ rows, search }: PagedList<Row>): boolean {
  return rows?.length === 0 && (search === undefined || search.text.trim() === '');
}

export function Listing<Row>(props: ListingProps<Row>) {
  const { label, list, empty, columns, idOf, filters, details } = props;
  const { rows, error, search } = list;
  const table = useRef<HTMLTableElement>(null);
  const loadMore = useLoadMore(list, table);
  const isSearching = search !== undefined && search.text.trim() !== '';
  const hasRows = rows !== undefined && rows.length > 0;
  return (
    <Stack gap="sm">
      {error === null ? null : <ErrorAlert error={error} retry={list.reload} />}
      {filters === undefined && !hasRows && !isSearching ? null : (
        <Toolbar label={label} list={list} filters={filters} />
      )}
      {rows === undefined && error === null ? <LoadingTable label={label} /> : null}
      {rows?.length === 0 && isSearching ? <NoResults search={search} /> : null}
      {rows?.length === 0 && !isSearching ? <EmptyList icon={IconInbox} {...empty} /> : null}
      {hasRows ? (
        <ListingTable {...{ label, columns, idOf, rows, table, details }} order={list.order} />
      ) : null}
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

type ToolbarProps<Row> = Pick<ListingProps<Row>, 'label' | 'list' | 'filters'>;

function Toolbar<Row>({ label, list: { search, total }, filters }: ToolbarProps<Row>) {
  if (search === undefined && filters === undefined && total === undefined) return null;
  return (
    <Group gap="xs" align="center">
      {search === undefined ? null : <ListSearchField label={label} search={search} />}
      {filters}
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
function useLoadMore<Row>(list: PagedList<Row>, table: RefObject<HTMLTableElement | null>) {
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
