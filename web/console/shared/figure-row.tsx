import { Paper, SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './figure-row.module.css';

export type Figure = {
  readonly name: string;
  /** A link with the name, to the page with the details. */
  readonly link?: ReactNode;
  readonly value: ReactNode;
};

/** The most important values of a screen. */
export function FigureRow({ figures }: { readonly figures: readonly Figure[] }) {
  return (
    <SimpleGrid
      component="dl"
      className={classes.row ?? ''}
      cols={{ base: 2, sm: figures.length }}
      spacing="sm"
      m={0}
    >
      {figures.map(({ name, link, value }) => (
        <Paper key={name} withBorder p="md">
          <Text component="dt" size="xs" c="dimmed">
            {link ?? name}
          </Text>
          <Text component="dd" className={classes.value ?? ''} size="xl" fw={600} lh={1.4} m={0}>
            {value}
          </Text>
        </Paper>
      ))}
    </SimpleGrid>
  );
}
