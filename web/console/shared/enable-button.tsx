import { Button } from '@mantine/core';
import { useDialogs } from './dialogs.tsx';
import { ErrorDialog } from './error-dialog.tsx';
import { usePendingAction } from './use-pending-action.ts';

type DisableOrEnableProps = {
  readonly isEnabled: boolean;
  /** Asks for a confirmation. */
  readonly askToDisable: () => void;
  readonly enable: () => Promise<unknown>;
};

export function DisableOrEnable({ isEnabled, askToDisable, enable }: DisableOrEnableProps) {
  if (!isEnabled) return <EnableButton enable={enable} />;
  return (
    <Button variant="default" onClick={askToDisable}>
      Disable
    </Button>
  );
}

/** Enables a disabled resource without a confirmation. */
export function EnableButton({ enable }: { readonly enable: () => Promise<unknown> }) {
  const { open } = useDialogs();
  const { isPending, run } = usePendingAction((error) =>
    open(<ErrorDialog title="Couldn’t enable" error={error} />),
  );
  return (
    <Button loading={isPending} onClick={() => void run(enable)}>
      Enable
    </Button>
  );
}
