import { DataList, Paper } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './facts.module.css';

export type Fact = { readonly name: string; readonly value: ReactNode };

/** False: nothing is shown. */
export type OptionalFact = Fact | false;

type FactsProps = { readonly facts: readonly OptionalFact[] };

/** A framed list of names and values. */
export function Facts({ facts }: FactsProps) {
  return (
    <Paper withBorder p="md">
      <FactList facts={facts} />
    </Paper>
  );
}

/** The list without the frame. */
export function FactList({ facts }: FactsProps) {
  return (
    <DataList className={classes.list ?? ''}>
      {facts
        .filter((fact) => fact !== false)
        .map(({ name, value }) => (
          <DataList.Item key={name} className={classes.item ?? ''}>
            <DataList.ItemLabel>{name}</DataList.ItemLabel>
            <DataList.ItemValue miw={0} className={classes.value ?? ''}>
              {value}
            </DataList.ItemValue>
          </DataList.Item>
        ))}
    </DataList>
  );
}
