/** A form with one button, for the screens that need no session. */
import { Button, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { useRestoredFocus } from '../shared/use-restored-focus.ts';
import { reasonOf } from './error-details.ts';

export type OneFormProps = {
  readonly label: string;
  /** Throws the error of the service. */
  readonly submit: (text: (name: string) => string) => Promise<unknown>;
  readonly children: ReactNode;
};

export function OneForm({ label, submit, children }: OneFormProps) {
  const [error, setError] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  const rememberFocus = useRestoredFocus(isPending);

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    rememberFocus();
    setPending(true);
    setError(undefined);
    try {
      await submit((name) => String(fields.get(name) ?? ''));
    } catch (thrown) {
      setError(thrown);
    }
    setPending(false);
  }

  return (
    <form onSubmit={(event) => void send(event)}>
      <Stack>
        {children}
        {error === undefined ? null : <LinkError error={error} />}
        <Button type="submit" loading={isPending} fullWidth>
          {label}
        </Button>
      </Stack>
    </form>
  );
}

/** Shows an error of a mailed link, which is not a failed sign-in. */
export function LinkError({ error }: { readonly error: unknown }) {
  const isLink = reasonOf(error) === 'identity.credential_invalid';
  return <ErrorAlert error={error} {...(isLink ? { title: 'This link doesn’t work' } : {})} />;
}
