/** The filter of a list. Its values are in the URL, so that results can be shared. */
import { Button, Group, Paper, SimpleGrid, Stack } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type FormEvent, type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import classes from './filter-form.module.css';
import { focusFirstInvalid } from './form-fields.ts';

export type FilterFormProps = {
  /** Field values by name. */
  readonly values: Readonly<Record<string, string | undefined>>;
  /** Receives the field values; an empty object shows everything. */
  readonly filter: (fields: Readonly<Record<string, unknown>>) => void;
  /** Whether a field shows an error. */
  readonly hasError?: boolean;
  /** Uncontrolled fields with names. */
  readonly children: ReactNode;
};

/** Collapsed on a phone, so that the results are visible. */
export function FilterForm({ values, filter, hasError = false, children }: FilterFormProps) {
  const details = useRef<HTMLDetailsElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const isNarrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  const held = Object.values(values).filter((value) => value !== undefined && value !== '');
  const key = JSON.stringify(values);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key changes with the values
  useLayoutEffect(() => {
    if (form.current !== null) fill(form.current, values);
    if (isNarrow && details.current !== null) fold(details.current);
  }, [key]);
  useEffect(() => {
    if (hasError && form.current !== null) focusFirstInvalid(form.current);
  }, [hasError]);

  function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    filter(Object.fromEntries(new FormData(event.currentTarget)));
  }
  function showAll() {
    button.current?.focus();
    filter({});
  }

  return (
    <Paper component="details" withBorder p="md" open={!isNarrow || hasError} ref={details}>
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
                  Clear filter
                </Button>
              )}
            </Group>
          </Stack>
        </form>
      </search>
    </Paper>
  );
}

/** Copies the values of the URL into the fields. */
function fill(form: HTMLFormElement, values: FilterFormProps['values']): void {
  for (const field of form.querySelectorAll<HTMLInputElement>('input[name], select[name]')) {
    field.value = values[field.name] ?? '';
  }
}

/** Hides the fields and moves the focus out of them. */
function fold(details: HTMLDetailsElement): void {
  if (details.contains(document.activeElement)) details.querySelector('summary')?.focus();
  details.open = false;
}
