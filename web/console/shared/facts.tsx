import { DataList, Paper } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './facts.module.css';

export type Fact = { readonly name: string; readonly value: ReactNode };

type FactsProps = { readonly facts: readonly Fact[] };

/** What there is to know of one thing. */
export function Facts({ facts }: FactsProps) {
  return (
    <Paper withBorder p="md">
      <FactList facts={facts} />
    </Paper>
  );
}

/** The same, for what has a frame of its own. */
export function FactList({ facts }: FactsProps) {
  return (
    <DataList>
      {facts.map(({ name, value }) => (
        <DataList.Item key={name}>
          <DataList.ItemLabel>{name}</DataList.ItemLabel>
          <DataList.ItemValue miw={0} className={classes.value ?? ''}>
            {value}
          </DataList.ItemValue>
        </DataList.Item>
      ))}
    </DataList>
  );
}
