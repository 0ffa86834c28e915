import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { useRestoredFocus } from '../shared/use-restored-focus.ts';
import { reasonOf, retryAfterSecondsOf } from './error-details.ts';
import { useSignIn } from './session-context.tsx';

export type SignInFormProps = {
  /** Fixes the user; undefined: any user can sign in. */
  readonly email?: string;
  readonly onDone?: () => void;
  /** Buttons in front of the submit button. */
  readonly otherButtons?: ReactNode;
  /** Whether to focus the first field on mount. */
  readonly hasAutoFocus?: boolean;
};

export function SignInForm({ email, onDone, otherButtons, hasAutoFocus = false }: SignInFormProps) {
  const { session } = useSignIn();
  const first = useRef<HTMLInputElement>(null);
  const [error, setError] = useState<unknown>();
  const [isPending, setPending] = useState(false);
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
      setError(thrown);
      setPending(false);
    }
  }

  return (
    <form onSubmit={(event) => void send(event)}>
      <Stack>
        <TextInput
          ref={first}
          name="email"
          type="email"
          label="E-mail address"
          autoComplete="username"
          {...(email === undefined ? { required: true } : { value: email, readOnly: true })}
        />
        <PasswordInput
          name="password"
          label="Password"
          autoComplete="current-password"
          required
          data-autofocus={email === undefined ? undefined : true}
        />
        <TextInput
          name="otp"
          label="One-time code"
          description="Only if you use an authenticator app."
          autoComplete="one-time-code"
          inputMode="numeric"
          maxLength={16}
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
