/** The dialogs that any page may open: to confirm what cannot be undone, and to show a secret. */
import { useLocation } from '@tanstack/react-router';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { type Confirmation, ConfirmDialog } from './confirm-dialog.tsx';
import { useFocusFallback } from './focus-fallback.ts';
import { SecretDialog, type ShownSecret } from './secret-dialog.tsx';

export type Dialogs = {
  /** Asks once, and then does it. */
  confirm(confirmation: Confirmation): void;
  /** Shows what is told only once. */
  showSecret(secret: ShownSecret): void;
};

const DialogsContext = createContext<Dialogs | undefined>(undefined);

export function useDialogs(): Dialogs {
  const dialogs = useContext(DialogsContext);
  if (dialogs === undefined) throw new TypeError('there is no DialogsProvider around');
  return dialogs;
}

export function DialogsProvider({ children }: { readonly children: ReactNode }) {
  const [confirmation, confirm] = useState<Confirmation>();
  const [secret, showSecret] = useState<ShownSecret>();
  useFocusFallback();
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a question is one of its page
  useEffect(() => confirm(undefined), [pathname]);
  const dialogs = useMemo(() => ({ confirm, showSecret }), []);
  return (
    <DialogsContext.Provider value={dialogs}>
      {children}
      <ConfirmDialog confirmation={confirmation} close={() => confirm(undefined)} />
      <SecretDialog secret={secret} close={() => showSecret(undefined)} />
    </DialogsContext.Provider>
  );
}
