import { Button, type ButtonProps } from '@mantine/core';
import { useDialogs } from './dialogs.tsx';
import { ErrorDialog } from './error-dialog.tsx';
import { usePendingAction } from './use-pending-action.ts';

export type ActionButtonProps = ButtonProps & {
  readonly label: 'Enable' | 'Restore';
  readonly act: () => Promise<unknown>;
};

/** Acts without a confirmation. */
export function ActionButton({ label, act, ...props }: ActionButtonProps) {
  const { open } = useDialogs();
  const { isPending, run } = usePendingAction((error) =>
    open(<ErrorDialog title={`Couldn’t ${label.toLowerCase()}`} error={error} />),
  );
  return (
    <Button {...props} loading={isPending} onClick={() => void run(act)}>
      {label}
    </Button>
  );
}

type DisableOrEnableProps = {
  readonly isEnabled: boolean;
  /** Asks for a confirmation. */
  readonly askToDisable: () => void;
  readonly enable: () => Promise<unknown>;
};

export function DisableOrEnable({ isEnabled, askToDisable, enable }: DisableOrEnableProps) {
  if (!isEnabled) return <ActionButton label="Enable" act={enable} />;
  return (
    <Button variant="default" onClick={askToDisable}>
      Disable
    </Button>
  );
}
