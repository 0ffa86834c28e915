import { CloseButton, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { ListSearch } from './use-paged-list.ts';

export type ListSearchFieldProps = {
  /** The items, such as `Documents`. */
  readonly label: string;
  readonly search: ListSearch;
};

/** The key `/` focuses it. */
export function ListSearchField({ label, search }: ListSearchFieldProps) {
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
        search.text === '' ? null : (
          <CloseButton size="sm" aria-label="Clear search" onClick={() => search.change('')} />
        )
      }
      value={search.text}
      onChange={(event) => search.change(event.currentTarget.value)}
    />
  );
}
