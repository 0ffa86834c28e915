/** A list as a table; on a phone, as cards. */
import { Button, Center, EmptyState, Loader, Stack, Table, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './listing.module.css';
import type { Paged } from './paged.ts';
import { Problem } from './problem.tsx';

export type Column<Row> = {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Whether the title is for those who hear the table only: that of a column of buttons. */
  readonly isTitleHidden?: boolean;
};

export type ListingProps<Row> = {
  /** What the list is of, such as `API keys`. */
  readonly label: string;
  readonly list: Paged<Row>;
  readonly columns: readonly Column<Row>[];
  readonly idOf: (row: Row) => string;
  /** What an empty list says, and what to do next. */
  readonly empty: {
    readonly title: string;
    readonly text: string;
    readonly action?: ReactNode;
  };
};

export function Listing<Row>(props: ListingProps<Row>) {
  const { label, list, empty } = props;
  const { rows, error } = list;
  return (
    <Stack gap="md">
      {error === null ? null : <Problem error={error} retry={list.reload} />}
      {rows === undefined && error === null ? (
        <Center p="xl">
          <Loader aria-label={`Loading ${label}`} />
        </Center>
      ) : null}
      {rows?.length === 0 ? (
        <EmptyState className={classes.empty} title={empty.title} description={empty.text}>
          {empty.action}
        </EmptyState>
      ) : null}
      {rows === undefined || rows.length === 0 ? null : <Rows {...props} rows={rows} />}
      {list.hasMore ? (
        <Center>
          <Button variant="default" loading={list.isLoadingMore} onClick={list.loadMore}>
            Load more
          </Button>
        </Center>
      ) : null}
    </Stack>
  );
}

// The roles are told, since a table that is laid out as cards is none to some browsers.
function Rows<Row>({
  label,
  rows,
  columns,
  idOf,
}: ListingProps<Row> & { readonly rows: readonly Row[] }) {
  return (
    <Table className={classes.table} aria-label={label} role="table">
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
            {columns.map(({ title, cell, isTitleHidden = false }) => (
              <Table.Td key={title} role="cell" data-title={isTitleHidden ? undefined : title}>
                {cell(row)}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
