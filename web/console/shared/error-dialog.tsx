import { Modal } from '@mantine/core';
import { ErrorAlert } from './error-alert.tsx';

export type ErrorDialogProps = {
  readonly title: string;
  /** Undefined while all is well. */
  readonly error: unknown;
  readonly close: () => void;
};

/** Tells of an error that has no place of its own on the page. */
export function ErrorDialog({ title, error, close }: ErrorDialogProps) {
  return (
    <Modal opened={error !== undefined} onClose={close} title={title}>
      <ErrorAlert error={error} />
    </Modal>
  );
}
