/** The search and the order of a list. Back, a reload and a copied address restore them. */
import { useDebouncedValue } from '@mantine/hooks';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';

export type ListState = {
  /** The text in the search field. */
  readonly text: string;
  /** The text to search for: `text` after a pause, without surrounding spaces. */
  readonly query: string;
  /** The `order_by` of the API; empty for its default. */
  readonly orderBy: string;
  setText(text: string): void;
  setOrderBy(orderBy: string): void;
};

const searchPauseMs = 250;

/**
 * `name` is the prefix of the parameters of the address: empty for the main list of a screen, and
 * null for a list that belongs to no screen, such as that of a menu.
 */
export function useListState(name: string | null): ListState {
  const isInAddress = name !== null;
  const prefix = name === null || name === '' ? '' : `${name}_`;
  const [ofQuery, ofOrder] = [`${prefix}q`, `${prefix}order`];
  const { read, write } = useAddress();

  const addressed = isInAddress ? read(ofQuery) : '';
  const [text, setText] = useState(addressed);
  const [query] = useDebouncedValue(text.trim(), searchPauseMs);
  // The text that this list last wrote to the address, or read from it.
  const known = useRef(addressed);
  useEffect(() => {
    if (addressed === known.current) return;
    known.current = addressed;
    setText(addressed);
  }, [addressed]);
  useEffect(() => {
    if (!isInAddress || query === known.current) return;
    known.current = query;
    write(ofQuery, query);
  }, [isInAddress, query, ofQuery, write]);

  const [localOrder, setLocalOrder] = useState('');
  return {
    text,
    query,
    orderBy: isInAddress ? read(ofOrder) : localOrder,
    setText,
    setOrderBy: isInAddress ? (by) => write(ofOrder, by) : setLocalOrder,
  };
}

/** The parameters of the address. Writing one replaces the entry in the history. */
function useAddress() {
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const navigate = useNavigate();
  const write = useCallback(
    (name: string, value: string) =>
      void navigate({
        to: '.',
        search: (old: object) => ({ ...old, [name]: value === '' ? undefined : value }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
  // The router reads `q=1` as a number.
  const read = (name: string) => String(search[name] ?? '');
  return { read, write };
}
