import { Modal } from '@mantine/core';
import { useDialog } from './dialog-state.ts';
import { ErrorAlert } from './error-alert.tsx';

export type ErrorDialogProps = { readonly title: string; readonly error: unknown };

/** Shows an error that has no place on the screen. */
export function ErrorDialog({ title, error }: ErrorDialogProps) {
  const { isOpen, close } = useDialog();
  return (
    <Modal opened={isOpen} onClose={close} title={title}>
      <ErrorAlert error={error} />
    </Modal>
  );
}
