/** The selection of rows of a list, and the bar with its actions. */
import { Button, CloseButton, Group, Text } from '@mantine/core';
import { useCallback, useMemo, useState } from 'react';
import type { Selection } from './define-list.ts';
import classes from './selection.module.css';

/** The API accepts so many ids at once. */
const selectedMax = 200;

export type SelectedRows<Row> = {
  readonly definition: Selection<Row>;
  /** The selected ones of the loaded rows. */
  readonly rows: readonly Row[];
  readonly ids: ReadonlySet<string>;
  /** The number of rows that can be selected at once. */
  readonly max: number;
  /** The same function each time, so that the rows need not render again. */
  readonly toggle: (id: string) => void;
  readonly selectAll: () => void;
  readonly clear: () => void;
};

const none: ReadonlySet<string> = new Set();

/** A row that leaves the list, such as one that a filter hides, is not selected any more. */
export function useSelectedRows<Row>(
  definition: Selection<Row> | undefined,
  rows: readonly Row[] | undefined,
  idOf: (row: Row) => string,
): SelectedRows<Row> | undefined {
  const [wanted, setWanted] = useState(none);
  const selectable = useMemo(() => {
    const { isSelectable = () => true } = definition ?? {};
    return definition === undefined ? [] : (rows ?? []).filter(isSelectable);
  }, [definition, rows]);
  const selected = useMemo(
    () => selectable.filter((row) => wanted.has(idOf(row))).slice(0, selectedMax),
    [selectable, wanted, idOf],
  );
  const ids = useMemo(() => new Set(selected.map(idOf)), [selected, idOf]);
  const toggle = useCallback(
    (id: string) =>
      setWanted((old) =>
        old.has(id) ? new Set([...old].filter((one) => one !== id)) : new Set([...old, id]),
      ),
    [],
  );
  if (definition === undefined) return undefined;
  return {
    definition,
    rows: selected,
    ids,
    max: Math.min(selectedMax, selectable.length),
    toggle,
    selectAll: () => setWanted(new Set(selectable.slice(0, selectedMax).map(idOf))),
    clear: () => setWanted(none),
  };
}

type SelectBoxProps = {
  readonly label: string;
  readonly isSelected: boolean;
  /** Whether some rows are selected, but not all. */
  readonly isPartial?: boolean;
  readonly isDisabled?: boolean;
  readonly change: () => void;
};

/** The whole left end of the row is the target. */
export function SelectBox(props: SelectBoxProps) {
  const { label, isSelected, isPartial = false, isDisabled = false, change } = props;
  return (
    <label className={classes.box}>
      <input
        type="checkbox"
        aria-label={label}
        checked={isSelected}
        disabled={isDisabled}
        onChange={change}
        ref={(input) => {
          if (input !== null) input.indeterminate = isPartial;
        }}
      />
    </label>
  );
}

/** Below the table, and at the lower edge of the window while the table is longer. */
export function SelectionBar<Row>({ selected }: { readonly selected: SelectedRows<Row> }) {
  const { rows, max, definition, selectAll, clear } = selected;
  const { actions: Actions } = definition;
  const isShown = rows.length > 0;
  return (
    <div className={classes.bar} data-shown={isShown || undefined}>
      <Text size="sm" fw={500} role="status">
        {isShown ? selectedText(rows.length) : ''}
      </Text>
      {isShown ? (
        <>
          <Group gap="xs">
            <Actions rows={rows} clear={clear} />
            {rows.length < max ? (
              <Button variant="subtle" size="xs" onClick={selectAll}>
                Select all {max}
              </Button>
            ) : null}
          </Group>
          <CloseButton aria-label="Clear the selection" onClick={clear} ms="auto" />
        </>
      ) : null}
    </div>
  );
}

const selectedText = (count: number) =>
  count < selectedMax ? `${count} selected` : `${count} selected, which is the maximum`;
