/** A list, shown as a table, or as cards on a phone. */
import { Button, Center, EmptyState, Loader, Stack, Table, VisuallyHidden } from '@mantine/core';
import { type ReactNode, type RefObject, useLayoutEffect, useRef } from 'react';
import { ErrorAlert } from './error-alert.tsx';
import classes from './listing.module.css';
import type { PagedList } from './use-paged-list.ts';

export type Column<Row> = {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Whether only screen readers get the title, such as for a column of buttons. */
  readonly isTitleHidden?: boolean;
  /** Whether the text comes from users and may contain very long words. */
  readonly isFree?: boolean;
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
    readonly action?: ReactNode;
  };
};

export function Listing<Row>(props: ListingProps<Row>) {
  const { label, list, empty } = props;
  const { rows, error } = list;
  const table = useRef<HTMLTableElement>(null);
  const loadMore = useLoadMore(list, table);
  return (
    <Stack gap="md">
      {error === null ? null : <ErrorAlert error={error} retry={list.reload} />}
      {rows === undefined && error === null ? (
        <Center p="xl">
          <Loader aria-label={`Loading ${label}`} />
        </Center>
      ) : null}
      {rows?.length === 0 ? (
        <EmptyState className={classes.empty}>
          <EmptyState.Title role="heading" aria-level={2}>
            {empty.title}
          </EmptyState.Title>
          <EmptyState.Description>{empty.text}</EmptyState.Description>
          {empty.action}
        </EmptyState>
      ) : null}
      {rows === undefined || rows.length === 0 ? null : (
        <Rows {...props} rows={rows} table={table} />
      )}
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

/** Loads the next page. After the last page the button disappears; the first new row gets focus. */
function useLoadMore<Row>(list: PagedList<Row>, table: RefObject<HTMLTableElement | null>) {
  const { rows = [], isLoadingMore, hasMore } = list;
  const next = useRef<number>(undefined);
  useLayoutEffect(() => {
    if (isLoadingMore || next.current === undefined || rows.length <= next.current) return;
    const row = table.current?.tBodies[0]?.rows[next.current];
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

type RowsProps<Row> = ListingProps<Row> & {
  readonly rows: readonly Row[];
  readonly table: RefObject<HTMLTableElement | null>;
};

// Explicit roles: some browsers drop the table semantics if CSS lays it out as cards.
function Rows<Row>({ label, rows, columns, idOf, table }: RowsProps<Row>) {
  return (
    <div className={classes.frame}>
      <Table className={classes.table} aria-label={label} role="table" ref={table}>
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {columns.map(({ title, isTitleHidden = false }) => (
              <Table.Th key={title} role="columnheader" scope="col">
                {isTitleHidden ? <VisuallyHidden>{title}</VisuallyHidden> : title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {rows.map((row) => (
            <Table.Tr key={idOf(row)} role="row">
              {columns.map(({ title, cell, isTitleHidden = false, isFree = false }) => (
                <Table.Td
                  key={title}
                  role="cell"
                  data-title={isTitleHidden ? undefined : title}
                  data-free={isFree || undefined}
                >
                  {cell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
