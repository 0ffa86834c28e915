/** Fields of a form that are hidden until the user opens them. */
import { Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';

type FoldedFieldsProps = {
  readonly label: string;
  /** Whether they are open at first. By default false. */
  readonly isOpen?: boolean;
  readonly children: ReactNode;
};

export function FoldedFields({ label, isOpen = false, children }: FoldedFieldsProps) {
  // A later value would close what the user has opened.
  const [startsOpen] = useState(isOpen);
  return (
    <details open={startsOpen}>
      <Text component="summary" size="sm" fw={500} style={{ cursor: 'pointer' }}>
        {label}
      </Text>
      {children}
    </details>
  );
}
