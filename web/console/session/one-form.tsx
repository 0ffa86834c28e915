/** A form with one button, for the screens that need no session and for a sign-in. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { createContext, type FormEvent, type ReactNode, use, useEffect, useState } from 'react';
import { ErrorAlert, type ErrorAlertProps } from '../shared/error-alert.tsx';
import { useFormAction } from '../shared/use-form-action.ts';
import { fieldErrorsOf, reasonOf, retryAfterSecondsOf } from './error-details.ts';

const FormError = createContext<unknown>(undefined);

/** The error of a field, which must have its name as `data-path`. */
export const useFieldError = (field: string): string | undefined =>
  fieldErrorsOf(use(FormError)).find(({ name }) => name === field)?.text;

export type OneFormProps = {
  readonly label: string;
  /** Throws the error of the service. */
  readonly submit: (text: (name: string) => string) => Promise<unknown>;
  /** Buttons in front of the submit button. */
  readonly otherButtons?: ReactNode;
  readonly alert?: (props: ErrorAlertProps) => ReactNode;
  readonly children: ReactNode;
};

export function OneForm(props: OneFormProps) {
  const { label, submit, otherButtons, alert: Failure = LinkError, children } = props;
  const { formProps, isPending, error, shownFields, run } = useFormAction();
  const hasWaited = useHasWaited(error);

  function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    void run(() => submit((name) => String(fields.get(name) ?? '')));
  }

  return (
    <form {...formProps} onSubmit={send}>
      <Stack>
        <FormError value={error}>{children}</FormError>
        {error === undefined || hasWaited ? null : <Failure {...{ error, shownFields }} />}
        {hasWaited ? <Text role="status">You can try again now.</Text> : null}
        <Group justify="flex-end">
          {otherButtons}
          <Button type="submit" loading={isPending} fullWidth={otherButtons === undefined}>
            {label}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Shows an error of a mailed link, which is not a failed sign-in. */
export function LinkError(props: ErrorAlertProps) {
  const isLink = reasonOf(props.error) === 'identity.credential_invalid';
  return <ErrorAlert {...props} {...(isLink ? { title: 'This link doesn’t work' } : {})} />;
}

/** Whether the retry delay of a rate-limited request is over. */
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
