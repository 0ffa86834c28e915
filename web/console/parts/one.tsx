/** One thing that a page is about: awaited, shown, or told why it cannot be. */
import { Center, Loader } from '@mantine/core';
import type { ReactNode } from 'react';
import { Problem } from './problem.tsx';

export type OneProps<Value> = {
  readonly value: Value | undefined;
  readonly query: { readonly error: Error | null; refetch(): Promise<unknown> };
  /** What it is, such as `client`. */
  readonly label: string;
  readonly children: (value: Value) => ReactNode;
};

export function One<Value>({ value, query, label, children }: OneProps<Value>) {
  const { error, refetch } = query;
  return (
    <>
      {error === null ? null : <Problem error={error} retry={() => void refetch()} />}
      {value === undefined && error === null ? (
        <Center p="xl">
          <Loader aria-label={`Loading the ${label}`} />
        </Center>
      ) : null}
      {value === undefined ? null : children(value)}
    </>
  );
}
