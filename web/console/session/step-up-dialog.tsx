import { useQuery } from '@connectrpc/connect-query';
import { Button, Loader, Modal, Stack, Text } from '@mantine/core';
import { useEffect } from 'react';
import { UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { useSignIn, useStepUpIsOpen, useUser } from './session-context.tsx';
import { SignInForm, type SignInFormProps } from './sign-in-form.tsx';

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
        <Text size="sm">
          This action requires a recent sign-in. Enter the password of {email} to continue.
        </Text>
        <StepUpForm
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

/** Asks for a code only if the user has an authenticator app, or if that is not known. */
function StepUpForm(props: SignInFormProps) {
  const { id } = useUser();
  const { data, error } = useQuery(UserService.method.getUser, { userId: id }, { staleTime: 0 });
  if (data === undefined && error === null) return <Loader aria-label="Loading" mx="auto" />;
  const isOn = data?.user?.totpEnabled;
  return (
    <SignInForm {...props} code={isOn === undefined ? 'offered' : isOn ? 'required' : 'none'} />
  );
}
