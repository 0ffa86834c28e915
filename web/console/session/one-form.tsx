/** A form with one button, for the screens that need no session. */
import { Button, Stack } from '@mantine/core';
import { createContext, type FormEvent, type ReactNode, use, useState } from 'react';
import { ErrorAlert, type ErrorAlertProps } from '../shared/error-alert.tsx';
import { fieldNamesOf } from '../shared/form-fields.ts';
import { useRestoredFocus } from '../shared/use-restored-focus.ts';
import { fieldErrorsOf, reasonOf } from './error-details.ts';

const FormError = createContext<unknown>(undefined);

/** The error of a field, which must have its name as `data-path`. */
export const useFieldError = (field: string): string | undefined =>
  fieldErrorsOf(use(FormError)).find(({ name }) => name === field)?.text;

export type OneFormProps = {
  readonly label: string;
  /** Throws the error of the service. */
  readonly submit: (text: (name: string) => string) => Promise<unknown>;
  readonly children: ReactNode;
};

export function OneForm({ label, submit, children }: OneFormProps) {
  const [error, setError] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  const [shownFields, setShownFields] = useState<ReadonlySet<string>>(new Set());
  const rememberFocus = useRestoredFocus(isPending);

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    setShownFields(fieldNamesOf(event.currentTarget));
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
        <FormError value={error}>{children}</FormError>
        {error === undefined ? null : <LinkError error={error} shownFields={shownFields} />}
        <Button type="submit" loading={isPending} fullWidth>
          {label}
        </Button>
      </Stack>
    </form>
  );
}

/** Shows an error of a mailed link, which is not a failed sign-in. */
export function LinkError(props: Pick<ErrorAlertProps, 'error' | 'shownFields'>) {
  const isLink = reasonOf(props.error) === 'identity.credential_invalid';
  return <ErrorAlert {...props} {...(isLink ? { title: 'This link doesn’t work' } : {})} />;
}
