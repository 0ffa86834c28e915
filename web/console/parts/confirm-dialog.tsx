import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useStepUpIsOpen } from '../session/context.tsx';
import { useFocusBack } from './focus-back.ts';
import { Problem } from './problem.tsx';

export type Confirmation = {
  /** The question, such as `Revoke “CI”?`. */
  readonly title: string;
  /** What will stop working, and whether it can be undone. */
  readonly consequence: string;
  /** What the button says that does it. */
  readonly label: string;
  readonly act: () => Promise<unknown>;
};

type ConfirmDialogProps = {
  readonly confirmation: Confirmation | undefined;
  readonly close: () => void;
};

export function ConfirmDialog({ confirmation, close }: ConfirmDialogProps) {
  const isBeneath = useStepUpIsOpen();
  return (
    <Modal
      opened={confirmation !== undefined}
      onClose={close}
      title={confirmation?.title}
      closeOnEscape={!isBeneath}
    >
      {confirmation === undefined ? null : <Question {...confirmation} close={close} />}
    </Modal>
  );
}

function Question({ consequence, label, act, close }: Confirmation & { close: () => void }) {
  const [error, setError] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  const keepFocus = useFocusBack(isPending);

  async function go() {
    keepFocus();
    setPending(true);
    setError(undefined);
    try {
      await act();
      close();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setPending(false);
    }
  }

  return (
    <Stack>
      <Text>{consequence}</Text>
      {error === undefined ? null : <Problem error={error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={close} disabled={isPending} data-autofocus>
          Cancel
        </Button>
        <Button color="red.9" onClick={() => void go()} loading={isPending}>
          {label}
        </Button>
      </Group>
    </Stack>
  );
}
