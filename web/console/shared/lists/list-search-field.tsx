import { CloseButton, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import type { ListSearch } from './use-paged-list.ts';

export type ListSearchFieldProps = {
  /** The items, such as `Documents`. */
  readonly label: string;
  readonly search: ListSearch;
};

/** Holds the text itself, so that a key renders nothing else. The key `/` focuses it. */
export function ListSearchField({ label, search }: ListSearchFieldProps) {
  const [text, setText] = useState(search.query);
  const typed = useRef(search.query);
  useEffect(() => {
    if (search.query === typed.current) return;
    typed.current = search.query;
    setText(search.query);
  }, [search.query]);
  function change(next: string) {
    setText(next);
    typed.current = next.trim();
    search.change(next);
  }
  return (
    <TextInput
      type="search"
      role="searchbox"
      data-page-search
      size="sm"
      w={{ base: '100%', xs: 280 }}
      maxLength={100}
      aria-label={`Search ${label}`}
      placeholder="Search"
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={
        text === '' ? null : (
          <CloseButton size="sm" aria-label="Clear search" onClick={() => change('')} />
        )
      }
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}
