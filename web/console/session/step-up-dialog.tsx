import { Button, Modal, Stack, Text } from '@mantine/core';
import { useEffect } from 'react';
import { useSignIn, useStepUpIsOpen, useUser } from './session-context.tsx';
import { SignInForm } from './sign-in-form.tsx';

export function StepUpDialog() {
  const { stepUp } = useSignIn();
  const isOpen = useStepUpIsOpen();
  const { email } = useUser();
  // A question to somebody who has gone is not one to whoever comes next.
  useEffect(() => () => stepUp.settle(false), [stepUp]);
  const leave = () => stepUp.settle(false);
  return (
    <Modal
      opened={isOpen}
      onClose={leave}
      title="Confirm that it is you"
      zIndex={400}
      // What was begun is not given up by a click beside it.
      closeOnClickOutside={false}
    >
      <Stack>
        <Text>
          This needs a sign-in of the last few minutes. Sign in again, and it goes on where you
          were.
        </Text>
        <SignInForm
          email={email}
          onDone={() => stepUp.settle(true)}
          others={
            <Button variant="default" onClick={leave}>
              Cancel
            </Button>
          }
        />
      </Stack>
    </Modal>
  );
}
