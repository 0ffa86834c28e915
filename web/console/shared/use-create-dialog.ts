import { useDisclosure } from '@mantine/hooks';
import { useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';

declare module '@tanstack/history' {
  interface HistoryState {
    /** Opens the dialog that creates a resource; a new value for each request. */
    create?: string;
  }
}

/** The dialog that creates a resource. The command palette opens it as well. */
export function useCreateDialog() {
  const dialog = useDisclosure(false);
  const [, { open }] = dialog;
  const { create } = useLocation().state;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each request
  useEffect(() => {
    if (create === undefined) return;
    open();
    // A reload or a return to this entry must not open it again.
    history.replaceState({ ...history.state, create: undefined }, '');
  }, [create]);
  return dialog;
}
