/** Shows the result of a query: a loader, an error or the content. */
import { Center, Loader } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorAlert } from './error-alert.tsx';

export type QueryResultProps<Value> = {
  readonly value: Value | undefined;
  readonly query: { readonly error: Error | null; refetch(): Promise<unknown> };
  /** The type of the resource, such as `client`. */
  readonly label: string;
  readonly children: (value: Value) => ReactNode;
};

export function QueryResult<Value>({ value, query, label, children }: QueryResultProps<Value>) {
  const { error, refetch } = query;
  return (
    <>
      <ErrorAlert error={error} retry={() => void refetch()} />
      {value === undefined && error === null ? (
        <Center p="xl">
          <Loader aria-label={`Loading ${label}`} />
        </Center>
      ) : null}
      {value === undefined ? null : children(value)}
    </>
  );
}
