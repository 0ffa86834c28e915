/** Opens every dialog: forms, confirmations, secrets and errors. */
import { useLocation } from '@tanstack/react-router';
import {
  createContext,
  type ReactNode,
  Suspense,
  useContext,
  useEffect,
  useMemo,
  useState,
} from 'react';
import { type Confirmation, ConfirmDialog } from './confirm-dialog.tsx';
import { DialogStateProvider } from './dialog-state.ts';
import { useFocusFallback } from './focus-fallback.ts';
import { LoadBoundary, NotLoadedDialog } from './load-boundary.tsx';
import { SecretDialog, type ShownSecret } from './secret-dialog.tsx';
import { Toasts } from './toasts.tsx';

export type Dialogs = {
  /** Shows a dialog, which reads its state from `useDialog`. Each opening is a new one. */
  open(dialog: ReactNode): void;
  /** Runs the action if the user confirms. */
  confirm(confirmation: Confirmation): void;
  /** Stays open on another screen, because the secret is never shown again. */
  showSecret(secret: ShownSecret): void;
};

const DialogsContext = createContext<Dialogs | undefined>(undefined);

export function useDialogs(): Dialogs {
  const dialogs = useContext(DialogsContext);
  if (dialogs === undefined) throw new TypeError('DialogsProvider is missing');
  return dialogs;
}

type OpenDialog = {
  readonly key: number;
  readonly dialog: ReactNode;
  readonly isOpen: boolean;
  readonly isKept: boolean;
};

let lastKey = 0;

export function DialogsProvider({ children }: { readonly children: ReactNode }) {
  const [shown, setShown] = useState<readonly OpenDialog[]>([]);
  useFocusFallback();
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a dialog belongs to its screen
  useEffect(() => setShown((all) => all.filter(({ isKept }) => isKept)), [pathname]);
  const dialogs = useMemo(() => {
    const show = (dialog: ReactNode, isKept: boolean) => {
      lastKey += 1;
      const next = { key: lastKey, dialog, isOpen: true, isKept };
      // A closed dialog stays until the next one opens, while it fades out.
      setShown((all) => [...all.filter(({ isOpen }) => isOpen), next]);
    };
    return {
      open: (dialog: ReactNode) => show(dialog, false),
      confirm: (confirmation: Confirmation) => show(<ConfirmDialog {...confirmation} />, false),
      showSecret: (secret: ShownSecret) => show(<SecretDialog {...secret} />, true),
    };
  }, []);
  const close = (key: number) =>
    setShown((all) => all.map((one) => (one.key === key ? { ...one, isOpen: false } : one)));
  return (
    <DialogsContext.Provider value={dialogs}>
      {children}
      {shown.map(({ key, dialog, isOpen }) => (
        <DialogStateProvider key={key} value={{ isOpen, close: () => close(key) }}>
          <LoadBoundary fallback={<NotLoadedDialog isOpen={isOpen} close={() => close(key)} />}>
            <Suspense>{dialog}</Suspense>
          </LoadBoundary>
        </DialogStateProvider>
      ))}
      <Toasts />
    </DialogsContext.Provider>
  );
}
