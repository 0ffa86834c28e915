import { DataList } from '@mantine/core';
import type { ReactNode } from 'react';

export type FactProps = { readonly label: string; readonly children: ReactNode };

/** One line of a `DataList`. */
export function Fact({ label, children }: FactProps) {
  return (
    <DataList.Item>
      <DataList.ItemLabel>{label}</DataList.ItemLabel>
      <DataList.ItemValue miw={0}>{children}</DataList.ItemValue>
    </DataList.Item>
  );
}
