/** By what a list is filtered. It stands in the address, so that what is found can be linked to. */
import { Button, Group, Paper, SimpleGrid, Stack } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type FormEvent, type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import classes from './filter-form.module.css';
import { focusFirstInvalid } from './form-fields.ts';

export type FilterFormProps = {
  /** What the fields hold, by their names. */
  readonly values: Readonly<Record<string, string | undefined>>;
  /** Takes what the fields hold then; nothing for everything. */
  readonly filter: (fields: Readonly<Record<string, unknown>>) => void;
  /** Whether a field is marked as wrong. */
  readonly isWrong?: boolean;
  /** Fields with names, that keep what they hold by themselves. */
  readonly children: ReactNode;
};

/** On a phone it is folded: what it has found is below it. */
export function FilterForm({ values, filter, isWrong = false, children }: FilterFormProps) {
  const details = useRef<HTMLDetailsElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const isNarrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  const held = Object.values(values).filter((value) => value !== undefined && value !== '');
  const key = JSON.stringify(values);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the key that tells of changes
  useLayoutEffect(() => {
    if (form.current !== null) fill(form.current, values);
    if (isNarrow && details.current !== null) fold(details.current);
  }, [key]);
  useEffect(() => {
    if (isWrong && form.current !== null) focusFirstInvalid(form.current);
  }, [isWrong]);

  function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    filter(Object.fromEntries(new FormData(event.currentTarget)));
  }
  function showAll() {
    button.current?.focus();
    filter({});
  }

  return (
    <Paper component="details" withBorder p="md" open={!isNarrow || isWrong} ref={details}>
      <summary className={classes.summary}>
        {held.length === 0 ? 'Filter' : `Filter (${held.length})`}
      </summary>
      <search>
        <form onSubmit={send} ref={form} aria-label="Filter">
          <Stack gap="sm" pt="sm">
            <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm" verticalSpacing="sm">
              {children}
            </SimpleGrid>
            <Group gap="xs">
              <Button type="submit" variant="default" ref={button}>
                Filter
              </Button>
              {held.length === 0 ? null : (
                <Button variant="default" onClick={showAll}>
                  Show all
                </Button>
              )}
            </Group>
          </Stack>
        </form>
      </search>
    </Paper>
  );
}

/** Says in the fields what the address says. */
function fill(form: HTMLFormElement, values: FilterFormProps['values']): void {
  for (const field of form.querySelectorAll<HTMLInputElement>('input[name], select[name]')) {
    field.value = values[field.name] ?? '';
  }
}

/** Hides the fields; whoever was in them is at what shows them again. */
function fold(details: HTMLDetailsElement): void {
  if (details.contains(document.activeElement)) details.querySelector('summary')?.focus();
  details.open = false;
}
