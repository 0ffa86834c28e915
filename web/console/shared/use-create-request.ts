import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { useDialogs } from './dialogs.tsx';

declare module '@tanstack/history' {
  interface HistoryState {
    /** Opens the dialog that creates a resource; a new value for each request. */
    create?: string;
  }
}

/** Returns a function that opens the dialog. The command palette opens it as well. */
export function useCreateRequest(dialog: ReactNode): () => void {
  const dialogs = useDialogs();
  const open = () => dialogs.open(dialog);
  const { create } = useLocation().state;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each request
  useEffect(() => {
    if (create === undefined) return;
    open();
    // A reload or a return to this entry must not open it again.
    history.replaceState({ ...history.state, create: undefined }, '');
  }, [create]);
  return open;
}
