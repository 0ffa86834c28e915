/** Shows an error of the service, with the request ID for support. Nothing without an error. */
import { ConnectError } from '@connectrpc/connect';
import { Alert, Button, Group, Text } from '@mantine/core';
import {
  type FormFieldError,
  fieldErrorsOf,
  reasonOf,
  requestIdOf,
  retryAfterSecondsOf,
} from '../session/error-details.ts';

export type ErrorAlertProps = {
  /** Undefined or null: none. */
  readonly error: unknown;
  /** By default a title for the error's code. */
  readonly title?: string;
  /** Names of the fields that show their own errors. */
  readonly shownFields?: ReadonlySet<string>;
  /** Adds a retry button, unless a retry cannot help. */
  readonly retry?: () => void;
};

export function ErrorAlert({ error, title, shownFields, retry }: ErrorAlertProps) {
  if (error === undefined || error === null) return null;
  const requestId = requestIdOf(error);
  const seconds = retryAfterSecondsOf(error);
  const fields = fieldErrorsOf(error);
  const others = fields.filter(({ name }) => !shownFields?.has(name));
  const reason = fields.length > 0 ? 'invalid_argument' : reasonOf(error);
  const isShown = fields.length > 0 && others.length === 0;
  return (
    <Alert
      color="red"
      role="alert"
      data-error
      title={title ?? (isShown ? 'Check the marked fields' : titleOf(error, reason))}
    >
      {fields.length === 0 ? <Text size="sm">{textOf(error, reason)}</Text> : null}
      {others.map((problem) => (
        <Text key={`${problem.field} ${problem.detail}`} size="sm">
          {sentenceOf(problem)}
        </Text>
      ))}
      {seconds === undefined ? null : (
        <Text size="sm">Try again in {seconds === 1 ? '1 second' : `${seconds} seconds`}.</Text>
      )}
      {requestId === undefined ? null : (
        <Text size="xs" mt={4}>
          Request ID: <span className="mono">{requestId}</span>
        </Text>
      )}
      {retry === undefined || finalReasons.has(reason ?? '') ? null : (
        <Group mt="sm">
          <Button variant="default" size="xs" onClick={retry}>
            Try again
          </Button>
        </Group>
      )}
    </Alert>
  );
}

/** Errors that a retry cannot fix. */
const finalReasons: ReadonlySet<string> = new Set(['forbidden', 'not_found']);

/** Returns `Label: Detail` if the detail is a sentence, otherwise `Label detail.` */
function sentenceOf({ field, detail }: FormFieldError): string {
  const words = field.replaceAll('_', ' ');
  const label = words.charAt(0).toUpperCase() + words.slice(1);
  return /^\p{Lu}/u.test(detail) ? `${label}: ${detail}` : `${label} ${detail}.`;
}

const titles: Record<string, string> = {
  forbidden: 'You don’t have access',
  not_found: 'Not found',
  conflict: 'Not possible',
  precondition_failed: 'Someone else changed this',
  invalid_argument: 'Check your input',
  'identity.credential_invalid': 'Sign-in failed',
  'identity.code_invalid': 'Wrong code',
  payload_too_large: 'File too large',
  step_up_required: 'Sign in again',
  second_factor_required: 'Second factor required',
  step_up_declined: 'Nothing was changed',
  session_changed: 'Nothing was changed',
  passkey_declined: 'No passkey',
  rate_limited: 'Too many attempts',
  unavailable: 'Temporarily unavailable',
};

function titleOf(error: unknown, reason: string | undefined): string {
  if (reason !== undefined) return titles[reason] ?? 'Something went wrong';
  return error instanceof ConnectError ? 'Can’t connect to the server' : 'Something went wrong';
}

/** `rawMessage` omits the code that Connect puts in front. */
function textOf(error: unknown, reason: string | undefined): string {
  if (reason === 'precondition_failed') {
    return (
      'Nothing was saved, and your input is still here. To see the current values, close the ' +
      'form and open it again, or reload the page.'
    );
  }
  if (error instanceof ConnectError) {
    return reason === undefined ? 'Check your connection and try again.' : error.rawMessage;
  }
  return error instanceof Error ? error.message : String(error);
}
