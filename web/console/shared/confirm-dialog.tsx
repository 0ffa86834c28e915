import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useStepUpIsOpen } from '../session/session-context.tsx';
import { useDialog } from './dialog-state.ts';
import { ErrorAlert } from './error-alert.tsx';
import { focusBehindDialogs } from './focus-fallback.ts';
import { Sentence } from './isolate-name.tsx';
import { showToast } from './toasts.tsx';
import { type PendingAction, usePendingAction } from './use-pending-action.ts';
import { useRestoredFocus } from './use-restored-focus.ts';

export type Confirmation = {
  /** The question, such as `Revoke “CI”?`. */
  readonly title: string;
  /** The consequences, and whether the action can be undone. */
  readonly consequence: string;
  /** The label of the button. */
  readonly label: string;
  /** False if the action creates something. */
  readonly isDestructive?: boolean;
  readonly run: () => Promise<unknown>;
  /** The message after a success, such as `Link revoked`. */
  readonly done?: string | undefined;
};

export function ConfirmDialog(confirmation: Confirmation) {
  const { isOpen, close } = useDialog();
  const isBeneath = useStepUpIsOpen();
  const action = usePendingAction();
  const leave = () => {
    action.clearError();
    close();
    focusBehindDialogs();
  };
  return (
    <Modal
      opened={isOpen}
      // The result is shown only here, so the dialog stays open until it is known.
      onClose={action.isPending ? nothing : leave}
      title={<Sentence text={confirmation.title} />}
      closeOnEscape={!isBeneath}
      returnFocus={false}
    >
      <ConfirmationForm {...confirmation} close={leave} action={action} />
    </Modal>
  );
}

const nothing = () => {};

type ConfirmationFormProps = Confirmation & {
  readonly close: () => void;
  readonly action: PendingAction;
};

function ConfirmationForm(props: ConfirmationFormProps) {
  const { consequence, label, isDestructive = true, run, done, close, action } = props;
  const { isPending, error } = action;
  const rememberFocus = useRestoredFocus(isPending);

  async function start() {
    rememberFocus();
    if (!(await action.run(run))) return;
    close();
    if (done !== undefined) showToast(done);
  }

  return (
    <Stack>
      <Text>{consequence}</Text>
      <ErrorAlert error={error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={close} disabled={isPending} data-autofocus>
          Cancel
        </Button>
        <Button
          {...(isDestructive ? { color: 'red.9' } : {})}
          onClick={() => void start()}
          loading={isPending}
        >
          {label}
        </Button>
      </Group>
    </Stack>
  );
}
