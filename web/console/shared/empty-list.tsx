import { Button, EmptyState } from '@mantine/core';
import { type Icon, IconSearchOff } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './listing.module.css';
import type { ListSearch } from './use-paged-list.ts';

export type EmptyListProps = {
  readonly title: string;
  readonly text: string;
  readonly icon: Icon;
  readonly action?: ReactNode;
};

/** Shown instead of a table without rows. */
export function EmptyList({ title, text, icon: Picture, action }: EmptyListProps) {
  return (
    <EmptyState className={classes.empty}>
      <EmptyState.Indicator>
        <Picture size={40} stroke={1.25} aria-hidden />
      </EmptyState.Indicator>
      <EmptyState.Title role="heading" aria-level={2}>
        {title}
      </EmptyState.Title>
      <EmptyState.Description>{text}</EmptyState.Description>
      {action === undefined ? null : <EmptyState.Actions mt="xs">{action}</EmptyState.Actions>}
    </EmptyState>
  );
}

export function NoResults({ search }: { readonly search: ListSearch }) {
  return (
    <EmptyList
      icon={IconSearchOff}
      title="No results"
      text={`Nothing matches “${search.text.trim()}”. Check the spelling or use fewer words.`}
      action={
        <Button variant="default" onClick={() => search.change('')}>
          Show all
        </Button>
      }
    />
  );
}
