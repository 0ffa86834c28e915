import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { useRestoredFocus } from '../shared/use-restored-focus.ts';
import { CodeField, type CodeFieldProps } from './code-field.tsx';
import { reasonOf, retryAfterSecondsOf } from './error-details.ts';
import { useSignIn } from './session-context.tsx';

export type SignInFormProps = {
  /** Fixes the user; undefined: any user can sign in. */
  readonly email?: string;
  readonly code?: CodeFieldProps['code'];
  readonly onDone?: () => void;
  /** Buttons in front of the submit button. */
  readonly otherButtons?: ReactNode;
  /** Whether to focus the first empty field on mount. */
  readonly hasAutoFocus?: boolean;
};

export function SignInForm(props: SignInFormProps) {
  const { email, onDone, otherButtons, hasAutoFocus = false, code = 'offered' } = props;
  const { session } = useSignIn();
  const first = useRef<HTMLInputElement>(null);
  const [error, setError] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  const [isCodeStep, setCodeStep] = useState(false);
  const rememberFocus = useRestoredFocus(isPending);
  const hasWaited = useHasWaited(error);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only on mount
  useEffect(() => {
    if (hasAutoFocus) first.current?.focus();
  }, []);

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const text = (name: string) => String(fields.get(name) ?? '');
    rememberFocus();
    setPending(true);
    setError(undefined);
    try {
      await session.signIn({
        email: email ?? text('email').trim(),
        password: text('password'),
        otp: text('otp').trim(),
      });
      onDone?.();
    } catch (thrown) {
      setPending(false);
      if (reasonOf(thrown) === 'identity.code_required') setCodeStep(true);
      else setError(thrown);
    }
  }

  return (
    <form onSubmit={(event) => void send(event)}>
      <Stack>
        {/* The hidden fields keep their values for the second request. */}
        <Stack display={isCodeStep ? 'none' : undefined}>
          {email === undefined ? (
            <TextInput
              ref={first}
              name="email"
              type="email"
              label="Email address"
              autoComplete="username"
              required
            />
          ) : (
            // Password managers read the user from it.
            <input type="text" autoComplete="username" defaultValue={email} hidden readOnly />
          )}
          <PasswordInput
            {...(email === undefined ? {} : { ref: first })}
            name="password"
            label="Password"
            autoComplete="current-password"
            required
            data-autofocus={email === undefined ? undefined : true}
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
        {error === undefined || hasWaited ? null : <ErrorAlert error={error} />}
        {hasWaited ? <Text role="status">You can try again now.</Text> : null}
        <Group justify="flex-end">
          {otherButtons}
          <Button type="submit" loading={isPending} fullWidth={otherButtons === undefined}>
            Sign in
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Whether the retry delay of a rate-limited sign-in is over. */
function useHasWaited(error: unknown): boolean {
  const [waited, setWaited] = useState<unknown>();
  useEffect(() => {
    if (reasonOf(error) !== 'rate_limited') return;
    const seconds = retryAfterSecondsOf(error) ?? 0;
    const timer = setTimeout(() => setWaited(error), seconds * 1000);
    return () => clearTimeout(timer);
  }, [error]);
  return error !== undefined && waited === error;
}
