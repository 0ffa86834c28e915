import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useStepUpIsOpen } from '../session/context.tsx';
import { type Acting, useActing } from './act.ts';
import { useFocusBack } from './focus-back.ts';
import { focusOutside } from './focus-outside.ts';
import { Sentence } from './isolated.tsx';
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
  const acting = useActing();
  const leave = () => {
    acting.clear();
    close();
    focusOutside();
  };
  return (
    <Modal
      opened={confirmation !== undefined}
      // How it ends is told here, and nowhere else.
      onClose={acting.isPending ? nothing : leave}
      title={<Sentence text={confirmation?.title ?? ''} />}
      closeOnEscape={!isBeneath}
      returnFocus={false}
    >
      {confirmation === undefined ? null : (
        <Question {...confirmation} close={leave} acting={acting} />
      )}
    </Modal>
  );
}

const nothing = () => {};

type QuestionProps = Confirmation & { readonly close: () => void; readonly acting: Acting };

function Question({ consequence, label, act, close, acting }: QuestionProps) {
  const { isPending, error } = acting;
  const keepFocus = useFocusBack(isPending);

  async function go() {
    keepFocus();
    if (await acting.run(act)) close();
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
