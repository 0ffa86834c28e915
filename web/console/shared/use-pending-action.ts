import { useRef, useState } from 'react';

export type PendingAction = {
  readonly isPending: boolean;
  /** Undefined before the first run and after a success. */
  readonly error: unknown;
  /** Resolves to whether the work succeeded. Ignores the call while other work is running. */
  run(work: () => Promise<unknown>): Promise<boolean>;
  clearError(): void;
};

/** Tracks the progress and the error of an action, which `onError` receives, too. */
export function usePendingAction(onError?: (error: unknown) => void): PendingAction {
  const [error, setError] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  const isRunning = useRef(false);
  return {
    isPending,
    error,
    clearError: () => setError(undefined),
    async run(work) {
      if (isRunning.current) return false;
      isRunning.current = true;
      setPending(true);
      setError(undefined);
      try {
        await work();
        return true;
      } catch (thrown) {
        setError(thrown);
        onError?.(thrown);
        return false;
      } finally {
        isRunning.current = false;
        setPending(false);
      }
    },
  };
}
