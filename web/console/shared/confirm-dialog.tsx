import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useStepUpIsOpen } from '../session/session-context.tsx';
import { ErrorAlert } from './error-alert.tsx';
import { focusBehindDialogs } from './focus-fallback.ts';
import { Sentence } from './isolate-name.tsx';
import { type PendingAction, usePendingAction } from './use-pending-action.ts';
import { useRestoredFocus } from './use-restored-focus.ts';

export type Confirmation = {
  /** The question, such as `Revoke “CI”?`. */
  readonly title: string;
  /** What will stop working, and whether it can be undone. */
  readonly consequence: string;
  /** What the button says that does it. */
  readonly label: string;
  readonly run: () => Promise<unknown>;
};

type ConfirmDialogProps = {
  readonly confirmation: Confirmation | undefined;
  readonly close: () => void;
};

export function ConfirmDialog({ confirmation, close }: ConfirmDialogProps) {
  const isBeneath = useStepUpIsOpen();
  const action = usePendingAction();
  const leave = () => {
    action.clearError();
    close();
    focusBehindDialogs();
  };
  return (
    <Modal
      opened={confirmation !== undefined}
      // How it ends is told here, and nowhere else.
      onClose={action.isPending ? nothing : leave}
      title={<Sentence text={confirmation?.title ?? ''} />}
      closeOnEscape={!isBeneath}
      returnFocus={false}
    >
      {confirmation === undefined ? null : (
        <Question {...confirmation} close={leave} action={action} />
      )}
    </Modal>
  );
}

const nothing = () => {};

type QuestionProps = Confirmation & { readonly close: () => void; readonly action: PendingAction };

function Question({ consequence, label, run, close, action }: QuestionProps) {
  const { isPending, error } = action;
  const rememberFocus = useRestoredFocus(isPending);

  async function go() {
    rememberFocus();
    if (await action.run(run)) close();
  }

  return (
    <Stack>
      <Text>{consequence}</Text>
      {error === undefined ? null : <ErrorAlert error={error} />}
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
