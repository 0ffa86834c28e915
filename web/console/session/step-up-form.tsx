import { useQuery } from '@connectrpc/connect-query';
import { Loader } from '@mantine/core';
import { UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import { useUser } from './session-context.tsx';
import { SignInForm, type SignInFormProps } from './sign-in-form.tsx';

/** Asks for a code only if the user has an authenticator app, or if that is not known. */
export default function StepUpForm(props: SignInFormProps) {
  const { id } = useUser();
  const { data, error } = useQuery(UserService.method.getUser, { userId: id }, { staleTime: 0 });
  if (data === undefined && error === null) return <Loader aria-label="Loading" mx="auto" />;
  const isOn = data?.user?.totpEnabled;
  return (
    <SignInForm
      {...props}
      hasAutoFocus
      code={isOn === undefined ? 'offered' : isOn ? 'required' : 'none'}
    />
  );
}
