import { Button, type MantineSpacing } from '@mantine/core';
import type { PagedList } from './use-paged-list.ts';

type LoadMoreProps = {
  readonly list: Pick<PagedList<never>, 'hasMore' | 'isLoadingMore' | 'loadMore'>;
  readonly mt?: MantineSpacing;
};

/** The button below the rows of a small list, unless all are shown. */
export function LoadMore({ list, mt = 0 }: LoadMoreProps) {
  if (!list.hasMore) return null;
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      mt={mt}
      loading={list.isLoadingMore}
      onClick={list.loadMore}
    >
      Load more
    </Button>
  );
}
