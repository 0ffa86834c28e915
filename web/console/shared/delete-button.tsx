/** Deleting a resource with a waiting time. */
import { Button } from '@mantine/core';
import { useDialogs } from './dialogs.tsx';
import { ErrorDialog } from './error-dialog.tsx';
import { isolateName } from './isolate-name.tsx';
import { showToast } from './toasts.tsx';

export type Deletion = {
  readonly noun: 'client' | 'customer' | 'user' | 'workspace';
  readonly name: string;
  /** A sentence about the immediate effect. */
  readonly effect: string;
  /** A sentence about the end of the waiting time. */
  readonly loss: string;
  readonly remove: () => Promise<{ readonly keptBackups: number }>;
  /** Undefined if the caller loses the right to restore it. */
  readonly restore?: () => Promise<unknown>;
  /** Leaves the screen of the resource. */
  readonly leave?: () => Promise<unknown>;
};

/** Returns a function that asks for a confirmation. */
export function useDelete(): (deletion: Deletion) => void {
  const { open, confirm } = useDialogs();
  return ({ noun, name, effect, loss, remove, restore, leave }) => {
    const undo = () =>
      restore?.().then(
        () => showToast(`${titled(noun)} restored`),
        (error: unknown) => open(<ErrorDialog title="Couldn’t restore" error={error} />),
      );
    async function run() {
      const { keptBackups } = await remove();
      const backups =
        keptBackups === 0 ? '' : `. The last ${keptBackups} backups may still contain it.`;
      const action = { label: 'Undo', run: () => void undo() };
      showToast(`${titled(noun)} deleted${backups}`, restore === undefined ? undefined : action);
      await leave?.();
    }
    confirm({
      title: `Delete “${isolateName(name)}”?`,
      consequence: `${effect} It can be restored for 7 days. ${loss}`,
      label: 'Delete',
      run,
    });
  };
}

type DeleteButtonProps = Deletion & { readonly label?: string };

export function DeleteButton({ label = 'Delete', ...deletion }: DeleteButtonProps) {
  const ask = useDelete();
  return (
    <Button variant="default" onClick={() => ask(deletion)}>
      {label}
    </Button>
  );
}

const titled = (noun: string) => `${noun.charAt(0).toUpperCase()}${noun.slice(1)}`;
