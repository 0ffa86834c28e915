import { Anchor, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { ErrorAlert } from '../shared/error-alert.tsx';
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

type CodeFieldProps = {
  /**
   * Whether to ask for a one-time code. `offered`: after a click. The second step of a sign-in
   * requires it.
   */
  readonly code: 'required' | 'offered' | 'none';
  readonly hasAutoFocus: boolean;
};

type Kind = 'app' | 'recovery';

/** The second factor of a sign-in: a code from the app or a recovery code. */
function CodeField({ code, hasAutoFocus }: CodeFieldProps) {
  const [isWanted, setWanted] = useState(false);
  const [kind, setKind] = useState<Kind>('app');
  if (code === 'none') return null;
  if (code === 'offered' && !isWanted) {
    return <Choice onClick={() => setWanted(true)}>Use a one-time code</Choice>;
  }
  const isApp = kind === 'app';
  return (
    <Stack gap={6}>
      {isApp ? (
        <AppCodeInput isRequired={code === 'required'} hasAutoFocus={hasAutoFocus} />
      ) : (
        <TextInput
          // The service accepts both kinds in one field.
          name="otp"
          label="Recovery code"
          description="One of the codes that you saved when you added the app. It works once."
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={32}
          required
          autoFocus
        />
      )}
      <Choice onClick={() => setKind(isApp ? 'recovery' : 'app')}>
        {isApp ? 'Use a recovery code instead' : 'Use the authenticator app instead'}
      </Choice>
    </Stack>
  );
}

type AppCodeInputProps = { readonly isRequired: boolean; readonly hasAutoFocus: boolean };

function AppCodeInput({ isRequired, hasAutoFocus }: AppCodeInputProps) {
  return (
    <TextInput
      name="otp"
      label="One-time code"
      description={
        isRequired
          ? 'The 6-digit code from your authenticator app.'
          : 'Only if you use an authenticator app.'
      }
      autoComplete="one-time-code"
      inputMode="numeric"
      maxLength={32}
      required={isRequired}
      autoFocus={hasAutoFocus}
    />
  );
}

type ChoiceProps = { readonly onClick: () => void; readonly children: ReactNode };

function Choice({ onClick, children }: ChoiceProps) {
  return (
    <Anchor component="button" type="button" size="sm" ta="start" onClick={onClick}>
      {children}
    </Anchor>
  );
}
