/** A field of a filter that offers values by their names. Another value can be typed. */
import { Autocomplete, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { FilterFieldProps } from './filters.ts';

export type FilterOption = {
  readonly value: string;
  /** Shown instead of the value. */
  readonly label: string;
  /** A second line, because labels are not unique. */
  readonly description: string;
};

type OptionFilterProps = FilterFieldProps & {
  readonly placeholder: string;
  /** The option of `value`, if it is known. */
  readonly initial: FilterOption | undefined;
  /** The options for a text. */
  readonly useOptions: (text: string) => FoundOptions;
};

export type FoundOptions = {
  readonly options: readonly FilterOption[];
  /** Whether more options may arrive. */
  readonly isPending: boolean;
};

export function OptionFilter(props: OptionFilterProps) {
  const { name, label, value = '', placeholder, initial, useOptions } = props;
  const [text, setText] = useState(initial?.label ?? value);
  const [picked, setPicked] = useState(initial);
  const held = picked?.label === text ? picked : undefined;
  const typed = held === undefined ? text.trim() : '';
  const { options, isPending } = useOptions(typed);
  const chosen = held ?? onlyNamed(options, typed);
  const isFound = typed !== '' && !isPending && options.length > 0;
  const isMissing = typed !== '' && !isPending && options.length === 0;
  return (
    <>
      <input type="hidden" name={name} value={chosen?.value ?? typed} />
      <Autocomplete
        label={label}
        description={chosen?.description ?? (isMissing ? noMatch : undefined)}
        inputWrapperOrder={['label', 'input', 'description']}
        placeholder={placeholder}
        maxLength={128}
        autoComplete="off"
        value={text}
        onChange={setText}
        onOptionSubmit={(id) => setPicked(options.find((option) => option.value === id))}
        data={options.map((option) => ({ value: option.value, label: option.label }))}
        // The options match already.
        filter={({ options: all }) => all}
        openOnFocus={false}
        // The listbox itself scrolls: axe accepts a scrolling part without the focus only there.
        withScrollArea={false}
        styles={{
          dropdown: { padding: 'var(--combobox-padding)' },
          options: { maxHeight: 240, overflow: 'hidden auto' },
        }}
        // Enter chooses the first option as soon as the options are complete.
        selectFirstOptionOnChange={isFound}
        renderOption={({ option: { value: id } }) => {
          const option = options.find((one) => one.value === id);
          return (
            <Stack gap={0} miw={0}>
              <Text span size="sm" truncate>
                {option?.label}
              </Text>
              <Text span size="xs" truncate>
                {option?.description}
              </Text>
            </Stack>
          );
        }}
      />
    </>
  );
}

const noMatch = 'No name matches. An ID must be complete.';

/** The option with this value, or else the only one with this label. */
function onlyNamed(options: readonly FilterOption[], text: string): FilterOption | undefined {
  const wanted = text.toLowerCase();
  const same = options.filter(({ label }) => label.toLowerCase() === wanted);
  return options.find(({ value }) => value === text) ?? (same.length === 1 ? same[0] : undefined);
}
