/** The filter of a list. Its values are in the URL, so that results can be shared. */
import { Button, Group, NativeSelect, Pill, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { formatDateTime } from '../date-time.tsx';
import { focusFirstInvalid } from '../form-fields.ts';
import { toLocalInput } from '../local-input.ts';
import classes from './filter-form.module.css';
import { type Filter, type Filters, type FilterValues, readFilters } from './filters.ts';

export type FilterFormProps = { readonly filters: Filters };

/** Folded, with a chip for each value that filters. */
export function FilterForm({ filters }: FilterFormProps) {
  const navigate = useNavigate();
  const values = readFilters(filters, useSearch({ strict: false }));
  const [isReversed, setReversed] = useState(false);
  const details = useRef<HTMLDetailsElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const [isOpen, setOpen] = useState(false);
  const key = JSON.stringify(values);
  const isShown = isOpen || isReversed;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key changes with the values
  useLayoutEffect(() => {
    if (form.current !== null) fill(form.current, values, filters);
  }, [key, isShown]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it folds when the values change
  useLayoutEffect(() => {
    if (details.current !== null) keepFocus(details.current);
    setOpen(false);
  }, [key]);
  useEffect(() => {
    if (isReversed && form.current !== null) focusFirstInvalid(form.current);
  }, [isReversed]);

  function filter(fields: Readonly<Record<string, unknown>>) {
    const wanted = readFilters(filters, fields);
    const { start_time: start = '', end_time: end } = wanted;
    const isWrong = end !== undefined && end <= start;
    setReversed(isWrong);
    if (isWrong) return;
    const change = Object.fromEntries(Object.keys(filters).map((name) => [name, wanted[name]]));
    void navigate({ to: '.', search: (old: object) => ({ ...old, ...change }) });
  }

  function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    filter(Object.fromEntries(new FormData(event.currentTarget)));
  }
  function showAll() {
    details.current?.querySelector('summary')?.focus();
    filter({});
  }

  return (
    <div className={classes.root}>
      <details
        className={classes.filter}
        open={isShown}
        onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
        ref={details}
      >
        <summary className={classes.summary}>
          <IconFilter size={16} aria-hidden /> Filter
        </summary>
        {isShown ? (
          <search>
            <form onSubmit={send} ref={form} aria-label="Filter">
              <Stack gap="sm" pt="sm">
                <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm" verticalSpacing="sm">
                  {Object.entries(filters).map(([name, one]) => (
                    <FilterField
                      key={name}
                      name={name}
                      filter={one}
                      value={values[name]}
                      error={isReversed && name === 'end_time' ? reversed : undefined}
                    />
                  ))}
                </SimpleGrid>
                <Group gap="xs">
                  <Button type="submit" variant="default">
                    Apply
                  </Button>
                </Group>
              </Stack>
            </form>
          </search>
        ) : null}
      </details>
      <Chips {...{ filters, values, filter, showAll }} />
    </div>
  );
}

const reversed = 'Choose a time after “From”.';

/** The latest value of a `datetime-local` field whose year has four digits. */
const time = { type: 'datetime-local', step: 1, max: '9999-12-31T23:59:59' };

type FilterFieldProps = {
  readonly name: string;
  readonly filter: Filter;
  readonly value: string | undefined;
  readonly error: string | undefined;
};

/** An uncontrolled field. */
function FilterField({ name, filter, value, error }: FilterFieldProps) {
  const { label, kind, choices, placeholder, maxLength, field: Field } = filter;
  if (Field !== undefined) {
    return (
      <Suspense>
        <Field name={name} label={label} value={value} />
      </Suspense>
    );
  }
  if (choices !== undefined) {
    const data = {
      '': 'Any',
      ...choices,
      ...(value === undefined ? {} : { [value]: textOf(filter, value) }),
    };
    const options = Object.entries(data).map(([one, text]) => ({ value: one, label: text }));
    return <NativeSelect name={name} label={label} data={options} />;
  }
  const props = { name, label, placeholder, maxLength, error, autoComplete: 'off' };
  return <TextInput {...props} {...(kind === 'time' ? time : {})} />;
}

function textOf({ kind, choices, describe }: Filter, value: string): string {
  if (kind === 'time') return formatDateTime(new Date(value), 'second');
  return choices?.[value] ?? describe?.(value) ?? value;
}

type ChipsProps = FilterFormProps & {
  readonly values: FilterValues;
  readonly filter: (fields: FilterValues) => void;
  readonly showAll: () => void;
};

/** The values that filter, each with a button that removes it. */
function Chips({ filters, values, filter, showAll }: ChipsProps) {
  const held = Object.entries(values);
  if (held.length === 0) return null;
  return (
    <Group gap={6} mt="xs">
      {held.map(([name, value]) => {
        const one = filters[name] ?? { label: name };
        return (
          <Chip
            key={name}
            filter={one}
            value={value}
            remove={() => filter({ ...values, [name]: '' })}
          />
        );
      })}
      <Button variant="subtle" size="compact-xs" color="gray" onClick={showAll}>
        Clear filter
      </Button>
    </Group>
  );
}

type ChipProps = {
  readonly filter: Filter;
  readonly value: string;
  readonly remove: () => void;
};

function Chip({ filter, value, remove }: ChipProps) {
  const { short, label, useText = (one: string) => textOf(filter, one) } = filter;
  const text = `${short ?? label}: ${useText(value)}`;
  return (
    <Pill
      withRemoveButton
      onRemove={remove}
      maw="100%"
      removeButtonProps={{ 'aria-label': `Remove ${text}`, tabIndex: 0, 'aria-hidden': false }}
    >
      {text}
    </Pill>
  );
}

/** Copies the values of the URL into the fields. */
function fill(form: HTMLFormElement, values: FilterValues, filters: Filters): void {
  for (const field of form.querySelectorAll<HTMLInputElement>('input[name], select[name]')) {
    const value = values[field.name] ?? '';
    const isTime = value !== '' && filters[field.name]?.kind === 'time';
    field.value = isTime ? toLocalInput(new Date(value), 'seconds') : value;
  }
}

/** Moves the focus out of the fields before they are folded. */
function keepFocus(details: HTMLDetailsElement): void {
  if (details.contains(document.activeElement)) details.querySelector('summary')?.focus();
}
