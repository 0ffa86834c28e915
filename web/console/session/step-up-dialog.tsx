import { Button, Modal, Stack, Text } from '@mantine/core';
import { useEffect } from 'react';
import { useSignIn, useStepUpIsOpen, useUser } from './session-context.tsx';
import { SignInForm } from './sign-in-form.tsx';

export function StepUpDialog() {
  const { stepUp } = useSignIn();
  const isOpen = useStepUpIsOpen();
  const { email } = useUser();
  // The dialog must not stay open for the next user.
  useEffect(() => () => stepUp.settle(false), [stepUp]);
  const leave = () => stepUp.settle(false);
  return (
    <Modal
      opened={isOpen}
      onClose={leave}
      title="Confirm it’s you"
      zIndex={400}
      // A click outside must not cancel the action.
      closeOnClickOutside={false}
    >
      <Stack>
        <Text>This action requires a recent sign-in. Sign in again to continue.</Text>
        <SignInForm
          email={email}
          onDone={() => stepUp.settle(true)}
          otherButtons={
            <Button variant="default" onClick={leave}>
              Cancel
            </Button>
          }
        />
      </Stack>
    </Modal>
  );
}
