import { Button, Loader, Modal, Stack, Text } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { lazy, Suspense, useEffect } from 'react';
import { LoadBoundary, NotLoaded } from '../shared/load-boundary.tsx';
import { useSignIn, useStepUpIsOpen, useUser } from './session-context.tsx';

// Not part of the first load.
const StepUpForm = lazy(() => import('./step-up-form.tsx'));

export function StepUpDialog() {
  const { stepUp } = useSignIn();
  const isOpen = useStepUpIsOpen();
  const { email } = useUser();
  // The dialog must not stay open for the next user.
  useEffect(() => () => stepUp.settle(false), [stepUp]);
  const leave = () => stepUp.settle(false);
  // The dialog beneath handles keys before this listener and ignores them while this one is open.
  useWindowEvent('keydown', (event) => {
    if (isOpen && event.key === 'Escape' && !event.isComposing) leave();
  });
  return (
    <Modal
      opened={isOpen}
      onClose={leave}
      closeOnEscape={false}
      title="Confirm it’s you"
      zIndex={400}
      // A click outside must not cancel the action.
      closeOnClickOutside={false}
    >
      <Stack>
        <Text size="sm">This action requires a recent sign-in.</Text>
        <LoadBoundary fallback={<NotLoaded />}>
          <Suspense fallback={<Loader aria-label="Loading" mx="auto" />}>
            <StepUpForm
              email={email}
              onDone={() => stepUp.settle(true)}
              otherButtons={
                <Button variant="default" onClick={leave}>
                  Cancel
                </Button>
              }
            />
          </Suspense>
        </LoadBoundary>
      </Stack>
    </Modal>
  );
}
