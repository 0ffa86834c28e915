import { Button } from '@mantine/core';
import { ErrorDialog } from './error-dialog.tsx';
import { usePendingAction } from './use-pending-action.ts';

/** Enables what was disabled, without a question, and tells of what goes wrong. */
export function EnableButton({ enable }: { readonly enable: () => Promise<unknown> }) {
  const { isPending, error, run, clearError } = usePendingAction();
  return (
    <>
      <Button loading={isPending} onClick={() => void run(enable)}>
        Enable
      </Button>
      <ErrorDialog title="It is still disabled" error={error} close={clearError} />
    </>
  );
}
