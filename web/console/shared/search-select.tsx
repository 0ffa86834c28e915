/** A field that searches a list of the API and chooses one of its rows. */
import { Box, Select, type SelectProps } from '@mantine/core';
import { ErrorAlert } from './error-alert.tsx';
import { LoadMore } from './lists/load-more.tsx';
import type { PagedList } from './lists/use-paged-list.ts';

export type SearchSelectProps<Row> = Omit<
  SelectProps,
  'data' | 'value' | 'onChange' | 'searchable' | 'filter' | 'list'
> & {
  readonly list: PagedList<Row>;
  readonly chosen: Row | undefined;
  readonly choose: (row: Row | undefined) => void;
  readonly idOf: (row: Row) => string;
  /** Unique, because the search field shows it. */
  readonly labelOf: (row: Row) => string;
};

export function SearchSelect<Row>(props: SearchSelectProps<Row>) {
  const { list, chosen, choose, idOf, labelOf, w, ...others } = props;
  const { rows = [], search } = list;
  // The chosen row stays an option while the search finds others.
  const isListed = chosen === undefined || rows.some((row) => idOf(row) === idOf(chosen));
  const all = isListed ? rows : [chosen, ...rows];
  const label = chosen === undefined ? '' : labelOf(chosen);
  return (
    <Box w={w}>
      <ErrorAlert error={list.error} retry={list.reload} />
      <Select
        nothingFoundMessage={list.rows === undefined ? 'Loading…' : 'No results'}
        {...others}
        searchable
        openOnFocus={false}
        data={all.map((row) => ({ value: idOf(row), label: labelOf(row) }))}
        value={chosen === undefined ? null : idOf(chosen)}
        onChange={(id) => choose(all.find((row) => idOf(row) === id))}
        // The service searches, so that rows that are not loaded are found as well.
        {...(search === undefined
          ? {}
          : {
              filter: ({ options }) => options,
              onSearchChange: (text: string) => search.change(text === label ? '' : text),
            })}
      />
      <LoadMore list={list} mt={4} />
    </Box>
  );
}
