/** Asks for a password, and for a code where the user has an authenticator app. */
import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Problem } from '../parts/problem.tsx';
import { useSignIn } from './context.tsx';

export type SignInFormProps = {
  /** The only user who may sign in; undefined for any. */
  readonly email?: string;
  readonly onDone: () => void;
  /** Buttons before the one that signs in. */
  readonly others?: ReactNode;
};

export function SignInForm({ email, onDone, others }: SignInFormProps) {
  const { session } = useSignIn();
  const [error, setError] = useState<unknown>();
  const [isPending, setPending] = useState(false);

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const text = (name: string) => String(fields.get(name) ?? '');
    setPending(true);
    setError(undefined);
    try {
      await session.signIn({
        email: email ?? text('email').trim(),
        password: text('password'),
        otp: text('otp').trim(),
      });
      onDone();
    } catch (thrown) {
      setError(thrown);
      setPending(false);
    }
  }

  return (
    <form onSubmit={(event) => void send(event)}>
      <Stack>
        <TextInput
          name="email"
          type="email"
          label="E-mail address"
          autoComplete="username"
          {...(email === undefined ? { required: true } : { value: email, readOnly: true })}
          {...(email === undefined ? { 'data-autofocus': true } : {})}
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
        {error === undefined ? null : <Problem error={error} />}
        {others}
        <Button type="submit" loading={isPending}>
          Sign in
        </Button>
      </Stack>
    </form>
  );
}
