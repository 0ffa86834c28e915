import { Modal } from '@mantine/core';
import { ErrorAlert } from './error-alert.tsx';

export type ErrorDialogProps = {
  readonly title: string;
  /** Undefined: the dialog is closed. */
  readonly error: unknown;
  readonly close: () => void;
};

/** Shows an error that has no place on the screen. */
export function ErrorDialog({ title, error, close }: ErrorDialogProps) {
  return (
    <Modal opened={error !== undefined} onClose={close} title={title}>
      <ErrorAlert error={error} />
    </Modal>
  );
}
