/** A card of the home page: the first rows of a list, with a link to all of them. */
import { Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { QueryResult, type QueryResultProps } from '../shared/query-result.tsx';
import classes from './home.module.css';

/** The cards are loaded again every 15 seconds. */
export const isLive = { refetchInterval: 15_000 };

type HomeCardProps<Row> = Pick<QueryResultProps<readonly Row[]>, 'query'> & {
  readonly title: string;
  /** A link to the screen with all rows, or an action for them. */
  readonly all?: ReactNode;
  /** Undefined until they are loaded. */
  readonly rows: readonly Row[] | undefined;
  readonly empty: string;
  readonly row: (row: Row) => HomeRow;
};

type HomeRow = {
  readonly id: string;
  readonly main: ReactNode;
  /** Below the main text. */
  readonly detail?: ReactNode;
  /** At the end of the row. */
  readonly end: ReactNode;
};

export function HomeCard<Row>({ title, all, query, rows, empty, row }: HomeCardProps<Row>) {
  return (
    <Paper component="section" aria-label={title} withBorder p="md">
      <Group justify="space-between" gap="sm" mb="xs">
        <Title order={2}>{title}</Title>
        {rows === undefined || rows.length === 0 ? null : all}
      </Group>
      <QueryResult value={rows} query={query} label={title.toLowerCase()}>
        {(shown) =>
          shown.length === 0 ? (
            <Text c="dimmed">{empty}</Text>
          ) : (
            <ul className={classes.rows}>
              {shown.map(row).map(({ id, main, detail, end }) => (
                <li key={id} className={classes.row}>
                  <Stack gap={0} miw={0}>
                    <div className={classes.main}>{main}</div>
                    {detail === undefined ? null : (
                      <Text size="xs" c="dimmed" lineClamp={3} className={classes.detail ?? ''}>
                        {detail}
                      </Text>
                    )}
                  </Stack>
                  <Text component="div" size="sm" c="dimmed" flex="none">
                    {end}
                  </Text>
                </li>
              ))}
            </ul>
          )
        }
      </QueryResult>
    </Paper>
  );
}
