import { Button, EmptyState } from '@mantine/core';
import { type Icon, IconSearchOff } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { TextLink } from '../router-links.tsx';
import type { Filters } from './filters.ts';
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
      text={`Nothing matches “${search.query}”. Check the spelling or use fewer words.`}
      action={
        <Button variant="default" onClick={() => search.change('')}>
          Show all
        </Button>
      }
    />
  );
}

type NoMatchProps = Omit<EmptyListProps, 'icon' | 'action'> & {
  readonly icon?: Icon;
  /** The items, such as `Users`. */
  readonly label: string;
  readonly filters: Filters;
};

/** Shown if no row has the values of the filters. */
export function NoMatch({ title, text, icon = IconSearchOff, label, filters }: NoMatchProps) {
  const none = Object.fromEntries(Object.keys(filters).map((name) => [name, undefined]));
  const action = (
    <TextLink to="." search={(old: object) => ({ ...old, ...none })}>
      Show all {label.toLowerCase()}
    </TextLink>
  );
  return <EmptyList title={title} text={text} icon={icon} action={action} />;
}
