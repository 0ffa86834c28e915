/** The dialogs that any page may open: to confirm what cannot be undone, and to show a secret. */
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import { type Confirmation, ConfirmDialog } from './confirm-dialog.tsx';
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
  const dialogs = useMemo(() => ({ confirm, showSecret }), []);
  return (
    <DialogsContext.Provider value={dialogs}>
      {children}
      <ConfirmDialog confirmation={confirmation} close={() => confirm(undefined)} />
      <SecretDialog secret={secret} close={() => showSecret(undefined)} />
    </DialogsContext.Provider>
  );
}
