/** The search and the order of a list. Back, a reload and a copied address restore them. */
import { useDebouncedCallback } from '@mantine/hooks';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';

export type ListState = {
  /** The text to search for, without surrounding spaces. */
  readonly query: string;
  /** The `order_by` of the API; empty for its default. */
  readonly orderBy: string;
  /** Searches after a pause in the typing. */
  setQuery(text: string): void;
  setOrderBy(orderBy: string): void;
};

const searchPauseMs = 250;

/** The parameters of the address. `name` is their prefix; empty for the main list of a screen. */
export function namesOf(name: string): { readonly query: string; readonly order: string } {
  const prefix = name === '' ? '' : `${name}_`;
  return { query: `${prefix}q`, order: `${prefix}order` };
}

/** `name`: null for a list that belongs to no screen, such as that of a menu. */
export function useListState(name: string | null): ListState {
  const names = namesOf(name ?? '');
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const navigate = useNavigate();
  const [local, setLocal] = useState<Readonly<Record<string, unknown>>>({});
  const values = name === null ? local : search;
  // Writing a value replaces the entry in the history.
  const write = (key: string, value: string) => {
    const change = { [key]: value === '' ? undefined : value };
    if (name === null) return setLocal({ ...local, ...change });
    const next = (old: object) => ({ ...old, ...change });
    void navigate({ to: '.', search: next, replace: true, resetScroll: false });
  };
  return {
    // The router reads `q=1` as a number.
    query: String(values[names.query] ?? '').trim(),
    orderBy: String(values[names.order] ?? ''),
    setQuery: useDebouncedCallback((text) => write(names.query, text.trim()), searchPauseMs),
    setOrderBy: (by) => write(names.order, by),
  };
}
