import { DataList, Paper } from '@mantine/core';
import type { ReactNode } from 'react';

export type Fact = { readonly name: string; readonly value: ReactNode };

/** What there is to know of one thing. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <Paper withBorder p="md">
      <DataList>
        {facts.map(({ name, value }) => (
          <DataList.Item key={name}>
            <DataList.ItemLabel>{name}</DataList.ItemLabel>
            <DataList.ItemValue>{value}</DataList.ItemValue>
          </DataList.Item>
        ))}
      </DataList>
    </Paper>
  );
}
