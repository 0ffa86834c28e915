/** The filter of a list. Its values are in the URL, so that results can be shared. */
import { Button, Group, Pill, SimpleGrid, Stack } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import {
  type FormEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import classes from './filter-form.module.css';
import { focusFirstInvalid } from './form-fields.ts';

export type FilterFormProps = {
  /** Field values by name. */
  readonly values: Readonly<Record<string, string | undefined>>;
  /** Receives the field values; an empty object shows everything. */
  readonly filter: (fields: Readonly<Record<string, unknown>>) => void;
  /** Names of the fields for their chips. */
  readonly labels: Readonly<Record<string, string>>;
  /** Formats a value for its chip; undefined shows it as it is. */
  readonly describe?: (name: string, value: string) => string | undefined;
  /** Whether a field shows an error. */
  readonly hasError?: boolean;
  /** Uncontrolled fields with names. */
  readonly children: ReactNode;
};

/** Folded, with a chip for each value that filters. */
export function FilterForm(props: FilterFormProps) {
  const { values, filter, hasError = false, children } = props;
  const details = useRef<HTMLDetailsElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const [isOpen, setOpen] = useState(false);
  const key = JSON.stringify(values);
  const isShown = isOpen || hasError;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key changes with the values
  useLayoutEffect(() => {
    if (form.current !== null) fill(form.current, values);
  }, [key, isShown]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it folds when the values change
  useLayoutEffect(() => {
    if (details.current !== null) keepFocus(details.current);
    setOpen(false);
  }, [key]);
  useEffect(() => {
    if (hasError && form.current !== null) focusFirstInvalid(form.current);
  }, [hasError]);

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
                  {children}
                </SimpleGrid>
                <Group gap="xs">
                  <Button type="submit" variant="default">
                    Filter
                  </Button>
                </Group>
              </Stack>
            </form>
          </search>
        ) : null}
      </details>
      <Chips {...props} showAll={showAll} />
    </div>
  );
}

type ChipsProps = FilterFormProps & { readonly showAll: () => void };

/** The values that filter, each with a button that removes it. */
function Chips({ values, labels, describe, filter, showAll }: ChipsProps) {
  const held = Object.entries(values).filter(([, value]) => value !== undefined && value !== '');
  if (held.length === 0) return null;
  return (
    <Group gap={6} mt="xs">
      {held.map(([name, value]) => (
        <Chip
          key={name}
          text={`${labels[name] ?? name}: ${describe?.(name, value ?? '') ?? value}`}
          remove={() => filter({ ...values, [name]: '' })}
        />
      ))}
      <Button variant="subtle" size="compact-xs" color="gray" onClick={showAll}>
        Clear filter
      </Button>
    </Group>
  );
}

function Chip({ text, remove }: { readonly text: string; readonly remove: () => void }) {
  return (
    <Pill
      withRemoveButton
      onRemove={remove}
      removeButtonProps={{ 'aria-label': `Remove ${text}`, tabIndex: 0, 'aria-hidden': false }}
    >
      {text}
    </Pill>
  );
}

/** Copies the values of the URL into the fields. */
function fill(form: HTMLFormElement, values: FilterFormProps['values']): void {
  for (const field of form.querySelectorAll<HTMLInputElement>('input[name], select[name]')) {
    field.value = values[field.name] ?? '';
  }
}

/** Moves the focus out of the fields before they are folded. */
function keepFocus(details: HTMLDetailsElement): void {
  if (details.contains(document.activeElement)) details.querySelector('summary')?.focus();
}
