import { PasswordInput, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { CodeField, type CodeFieldProps } from './code-field.tsx';
import { reasonOf } from './error-details.ts';
import { OneForm, type OneFormProps } from './one-form.tsx';
import { useSignIn } from './session-context.tsx';

export type SignInFormProps = Pick<OneFormProps, 'otherButtons'> & {
  readonly email: string;
  readonly code?: CodeFieldProps['code'];
  readonly onDone?: () => void;
  /** Whether to focus the password on mount. */
  readonly hasAutoFocus?: boolean;
};

export function SignInForm(props: SignInFormProps) {
  const { email, onDone, otherButtons, hasAutoFocus = false, code = 'offered' } = props;
  const { session } = useSignIn();
  const password = useRef<HTMLInputElement>(null);
  const [isCodeStep, setCodeStep] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only on mount
  useEffect(() => {
    if (hasAutoFocus) password.current?.focus();
  }, []);

  async function signIn(text: (name: string) => string) {
    try {
      await session.signIn({ email, password: text('password'), otp: text('otp').trim() });
      onDone?.();
    } catch (thrown) {
      if (reasonOf(thrown) !== 'identity.code_required') throw thrown;
      setCodeStep(true);
    }
  }

  return (
    <OneForm label="Sign in" submit={signIn} otherButtons={otherButtons} alert={ErrorAlert}>
      {/* The hidden fields keep their values for the second request. */}
      <Stack display={isCodeStep ? 'none' : undefined}>
        {/* Password managers read the user from it. */}
        <input type="text" autoComplete="username" defaultValue={email} hidden readOnly />
        <PasswordInput
          ref={password}
          name="password"
          label="Password"
          autoComplete="current-password"
          required
          data-autofocus
        />
      </Stack>
      {isCodeStep ? (
        <Text size="sm" role="status">
          Your password was accepted. Enter the code of your second factor.
        </Text>
      ) : null}
      <CodeField
        key={isCodeStep ? 'second step' : 'first step'}
        code={isCodeStep ? 'required' : code}
        hasAutoFocus={isCodeStep}
      />
    </OneForm>
  );
}
