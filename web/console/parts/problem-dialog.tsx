import { Modal } from '@mantine/core';
import { Problem } from './problem.tsx';

export type ProblemDialogProps = {
  readonly title: string;
  /** Undefined while all is well. */
  readonly error: unknown;
  readonly close: () => void;
};

/** Tells of an error that has no place of its own on the page. */
export function ProblemDialog({ title, error, close }: ProblemDialogProps) {
  return (
    <Modal opened={error !== undefined} onClose={close} title={title}>
      <Problem error={error} />
    </Modal>
  );
}
