/** The table of a list; below 900 pixels, each row has two lines. */
import { Skeleton, Table, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconSelector } from '@tabler/icons-react';
import { type MouseEvent, memo, type ReactNode, type RefObject } from 'react';
import type { Column, Selection } from './define-list.ts';
import classes from './listing.module.css';
import { RowToggleProvider, useRowToggle } from './row-toggle.tsx';
import { SelectBox, type SelectedRows } from './selection.tsx';
import type { ListOrder } from './use-paged-list.ts';

export type ListingTableProps<Row> = {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string;
  readonly order: ListOrder | undefined;
  readonly table: RefObject<HTMLTableElement | null>;
  readonly details: ((row: Row) => ReactNode) | undefined;
  readonly selected?: SelectedRows<Row> | undefined;
};

/** The rows without their details. */
export const rowSelector = 'tbody tr:not([data-details])';

// Explicit roles: some browsers drop the table semantics if CSS lays out the rows.
export function ListingTable<Row>(props: ListingTableProps<Row>) {
  const { label, rows, columns, idOf, table, order, details, selected } = props;
  const { definition, toggle } = selected ?? {};
  const isFull = selected !== undefined && selected.ids.size >= selected.max;
  return (
    <Table
      className={classes.table}
      withRowBorders={false}
      aria-label={label}
      role="table"
      ref={table}
      data-selectable={selected === undefined ? undefined : true}
    >
      <Table.Thead role="rowgroup">
        <Table.Tr role="row">
          {columns.map((column, i) => (
            <HeaderCell key={column.title} column={column} order={order}>
              {i === 0 && selected !== undefined ? (
                <SelectAllBox label={label} selected={selected} />
              ) : null}
            </HeaderCell>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody role="rowgroup">
        {rows.map((row) => {
          const id = idOf(row);
          const isSelected = selected?.ids.has(id) ?? false;
          const select = { selection: definition, toggle, isSelected, isFull };
          return <BodyRow key={id} {...{ id, row, columns, details, ...select }} />;
        })}
      </Table.Tbody>
    </Table>
  );
}

type BodyRowProps<Row> = Pick<ListingTableProps<Row>, 'columns' | 'details'> & {
  readonly id: string;
  readonly row: Row;
  readonly selection: Selection<Row> | undefined;
  readonly toggle: ((id: string) => void) | undefined;
  readonly isSelected: boolean;
  readonly isFull: boolean;
};

/** Renders again only if its row has changed. */
const BodyRow = memo(AnyBodyRow) as typeof AnyBodyRow;

function AnyBodyRow<Row>(props: BodyRowProps<Row>) {
  const { id, row, columns, details, selection, isSelected, isFull } = props;
  const toggle = useRowToggle();
  const isSelectable = selection?.isSelectable?.(row) ?? true;
  return (
    <RowToggleProvider value={toggle}>
      <Table.Tr role="row" onClick={openRow} data-selected={isSelected || undefined}>
        {columns.map((column, i) => (
          <BodyCell key={column.title} column={column} row={row}>
            {i === 0 && selection !== undefined && isSelectable ? (
              <SelectBox
                label={`Select ${selection.nameOf(row)}`}
                isSelected={isSelected}
                isDisabled={isFull && !isSelected}
                change={() => props.toggle?.(id)}
              />
            ) : null}
          </BodyCell>
        ))}
      </Table.Tr>
      {toggle.isOpen && details !== undefined ? (
        <Table.Tr role="row" data-details id={toggle.id}>
          <Table.Td role="cell" colSpan={columns.length}>
            {details(row)}
          </Table.Td>
        </Table.Tr>
      ) : null}
    </RowToggleProvider>
  );
}

type SelectAllBoxProps<Row> = { readonly label: string; readonly selected: SelectedRows<Row> };

function SelectAllBox<Row>({ label, selected }: SelectAllBoxProps<Row>) {
  const { ids, max, selectAll, clear } = selected;
  const isAll = ids.size > 0 && ids.size >= max;
  return (
    <SelectBox
      label={`Select all ${label.toLowerCase()}`}
      isSelected={isAll}
      isPartial={ids.size > 0 && !isAll}
      isDisabled={max === 0}
      change={isAll ? clear : selectAll}
    />
  );
}

type BodyCellProps<Row> = {
  readonly column: Column<Row>;
  readonly row: Row;
  readonly children: ReactNode;
};

function BodyCell<Row>({ column, row, children }: BodyCellProps<Row>) {
  const isAbsent = column.isAbsent?.(row) ?? false;
  return (
    <Table.Td
      role="cell"
      data-title={titleInRow(column)}
      data-absent={isAbsent || undefined}
      {...kindOf(column)}
    >
      {children}
      {isAbsent ? '—' : column.cell(row)}
    </Table.Td>
  );
}

const titleInRow = <Row,>({ title, isTitleHidden, isPlain, isBlock }: Column<Row>) =>
  isTitleHidden || isPlain || isBlock ? undefined : title;

const kindOf = <Row,>({ isFree, isMinor, isSpare, isBlock, isTitleHidden }: Column<Row>) => ({
  'data-free': isFree || undefined,
  'data-minor': isMinor || undefined,
  'data-spare': isSpare || undefined,
  'data-block': isBlock || undefined,
  'data-actions': isTitleHidden || undefined,
});

type HeaderCellProps<Row> = {
  readonly column: Column<Row>;
  readonly order: ListOrder | undefined;
  readonly children: ReactNode;
};

function HeaderCell<Row>({ column, order, children }: HeaderCellProps<Row>) {
  const { title, isTitleHidden, orderBy, isNewestFirst = false } = column;
  const shared = { role: 'columnheader', scope: 'col', ...kindOf(column) } as const;
  if (isTitleHidden) {
    return (
      <Table.Th {...shared}>
        <VisuallyHidden>{title}</VisuallyHidden>
      </Table.Th>
    );
  }
  if (order === undefined || orderBy === undefined) {
    return (
      <Table.Th {...shared}>
        {children}
        {title}
      </Table.Th>
    );
  }
  const [up, down] = [orderBy, `${orderBy} desc`];
  const [first, second] = isNewestFirst ? [down, up] : [up, down];
  const next = order.by === first ? second : order.by === second ? '' : first;
  const isUp = order.by === up;
  const isSorted = isUp || order.by === down;
  return (
    <Table.Th {...shared} {...(isSorted ? { 'aria-sort': isUp ? 'ascending' : 'descending' } : {})}>
      {children}
      <UnstyledButton className={classes.sort} onClick={() => order.change(next)}>
        {title}
        <SortIcon isSorted={isSorted} isUp={isUp} />
      </UnstyledButton>
    </Table.Th>
  );
}

type SortIconProps = { readonly isSorted: boolean; readonly isUp: boolean };

/** Shows that the list can be sorted by the column, too. */
function SortIcon({ isSorted, isUp }: SortIconProps) {
  if (!isSorted) return <IconSelector size={14} aria-hidden className={classes.sortable} />;
  const Arrow = isUp ? IconArrowUp : IconArrowDown;
  return <Arrow size={14} aria-hidden />;
}

const controls = 'a, button, input, label, summary, [role=menu], [role=dialog]';

/**
 * A click on a row does the same as a click on the element with `data-opens-row`, or else on the
 * link or button in its first cell.
 */
function openRow(event: MouseEvent<HTMLTableRowElement>): void {
  const { currentTarget: row, target, ctrlKey, metaKey, shiftKey } = event;
  // Dialogs and menus of the row are elsewhere in the document.
  if (!(target instanceof Element) || !row.contains(target)) return;
  if (target.closest(controls) !== null || getSelection()?.isCollapsed === false) return;
  const opener = row.querySelector('[data-opens-row]') ?? row.cells[0]?.querySelector('a, button');
  opener?.dispatchEvent(
    new globalThis.MouseEvent('click', {
      ...{ bubbles: true, cancelable: true },
      ...{ ctrlKey, metaKey, shiftKey },
    }),
  );
}

const loadingRows = [70, 55, 80, 60, 65] as const;

export function LoadingTable({ label }: { readonly label: string }) {
  return (
    <div className={classes.loading} role="img" aria-label={`Loading ${label}`}>
      {loadingRows.map((width) => (
        <div key={width}>
          <Skeleton height={10} width={`${width / 2}%`} />
          <Skeleton height={10} width="15%" />
          <Skeleton height={10} width="10%" />
        </div>
      ))}
    </div>
  );
}
