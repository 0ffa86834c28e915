/** The filters of a list. Their values are in the address, under their names. */
import type { ComponentType } from 'react';

export type Filter = {
  /** The label of the field. */
  readonly label: string;
  /** The name in the chip; by default the label. */
  readonly short?: string;
  /** `time`: RFC 3339 in the address, so that it means the same in every time zone. */
  readonly kind?: 'text' | 'time';
  readonly placeholder?: string;
  readonly maxLength?: number;
  /** The values and their labels, instead of any text. */
  readonly choices?: Readonly<Record<string, string>>;
  /** The text of a value outside the choices; without it, such a value is ignored. */
  readonly describe?: (value: string) => string;
  /** Another field, which renders an input with this name. */
  readonly field?: ComponentType<FilterFieldProps>;
  /** A hook that returns the text of a value in the chip. */
  readonly useText?: (value: string) => string;
};

export type FilterFieldProps = {
  readonly name: string;
  readonly label: string;
  readonly value: string | undefined;
};

export type Filters = Readonly<Record<string, Filter>>;

export type FilterValues = Readonly<Record<string, string>>;

/** The valid values among those of the address or of the form. */
export function readFilters(
  filters: Filters,
  search: Readonly<Record<string, unknown>> | object,
): FilterValues {
  const values = search as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(filters).flatMap(([name, filter]) => {
      const value = readFilter(filter, values[name]);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** The router parses numeric values as numbers. */
function readFilter({ kind, choices, describe }: Filter, value: unknown): string | undefined {
  const text = typeof value === 'string' || typeof value === 'number' ? `${value}`.trim() : '';
  if (text === '') return undefined;
  const isChoice = choices === undefined || Object.hasOwn(choices, text);
  if (!isChoice && describe === undefined) return undefined;
  if (kind !== 'time') return text;
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
