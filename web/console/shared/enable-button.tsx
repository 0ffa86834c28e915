import { Button } from '@mantine/core';
import { ErrorDialog } from './error-dialog.tsx';
import { usePendingAction } from './use-pending-action.ts';

/** Enables a disabled resource without a confirmation. */
export function EnableButton({ enable }: { readonly enable: () => Promise<unknown> }) {
  const { isPending, error, run, clearError } = usePendingAction();
  return (
    <>
      <Button loading={isPending} onClick={() => void run(enable)}>
        Enable
      </Button>
      <ErrorDialog title="Couldn’t enable" error={error} close={clearError} />
    </>
  );
}
