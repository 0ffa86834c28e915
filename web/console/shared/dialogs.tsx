/** The dialogs that every screen can open: a confirmation, and a secret that is shown once. */
import { useLocation } from '@tanstack/react-router';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { type Confirmation, ConfirmDialog } from './confirm-dialog.tsx';
import { useFocusFallback } from './focus-fallback.ts';
import { SecretDialog, type ShownSecret } from './secret-dialog.tsx';
import { Toasts } from './toasts.tsx';

export type Dialogs = {
  /** Runs the action if the user confirms. */
  confirm(confirmation: Confirmation): void;
  showSecret(secret: ShownSecret): void;
};

const DialogsContext = createContext<Dialogs | undefined>(undefined);

export function useDialogs(): Dialogs {
  const dialogs = useContext(DialogsContext);
  if (dialogs === undefined) throw new TypeError('DialogsProvider is missing');
  return dialogs;
}

export function DialogsProvider({ children }: { readonly children: ReactNode }) {
  const [confirmation, confirm] = useState<Confirmation>();
  const [secret, showSecret] = useState<ShownSecret>();
  useFocusFallback();
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a confirmation belongs to its screen
  useEffect(() => confirm(undefined), [pathname]);
  const dialogs = useMemo(() => ({ confirm, showSecret }), []);
  return (
    <DialogsContext.Provider value={dialogs}>
      {children}
      <ConfirmDialog confirmation={confirmation} close={() => confirm(undefined)} />
      <Toasts />
      <SecretDialog secret={secret} close={() => showSecret(undefined)} />
    </DialogsContext.Provider>
  );
}
