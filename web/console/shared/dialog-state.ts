import { createContext, useContext } from 'react';

export type DialogState = { readonly isOpen: boolean; close(): void };

const DialogContext = createContext<DialogState | undefined>(undefined);

export const DialogStateProvider = DialogContext.Provider;

/** The state of the dialog that contains the component. */
export function useDialog(): DialogState {
  const dialog = useContext(DialogContext);
  if (dialog === undefined) throw new TypeError('no dialog contains the component');
  return dialog;
}
