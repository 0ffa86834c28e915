/** One thing that a page is about: awaited, shown, or told why it cannot be. */
import { Center, Loader } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorAlert } from './error-alert.tsx';

export type QueryResultProps<Value> = {
  readonly value: Value | undefined;
  readonly query: { readonly error: Error | null; refetch(): Promise<unknown> };
  /** What it is, such as `client`. */
  readonly label: string;
  readonly children: (value: Value) => ReactNode;
};

export function QueryResult<Value>({ value, query, label, children }: QueryResultProps<Value>) {
  const { error, refetch } = query;
  return (
    <>
      {error === null ? null : <ErrorAlert error={error} retry={() => void refetch()} />}
      {value === undefined && error === null ? (
        <Center p="xl">
          <Loader aria-label={`Loading the ${label}`} />
        </Center>
      ) : null}
      {value === undefined ? null : children(value)}
    </>
  );
}
