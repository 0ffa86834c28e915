/** Tells of an error in the service's own words, with what a support request should quote. */

import { ConnectError } from '@connectrpc/connect';
import { Alert, Button, Group, Text } from '@mantine/core';
import {
  type FieldError,
  fieldErrorsOf,
  reasonOf,
  requestIdOf,
  retryAfterSecondsOf,
} from '../session/error-details.ts';

export type ErrorAlertProps = {
  readonly error: unknown;
  /** Names of fields that show their own problems. */
  readonly shownFields?: ReadonlySet<string>;
  /** Asks for the same again; offered where that can help. */
  readonly retry?: () => void;
};

export function ErrorAlert({ error, shownFields, retry }: ErrorAlertProps) {
  const requestId = requestIdOf(error);
  const seconds = retryAfterSecondsOf(error);
  return (
    <Alert color="red" role="alert" title={titleOf(error)}>
      <What error={error} {...(shownFields === undefined ? {} : { shownFields })} />
      {seconds === undefined ? null : (
        <Text size="sm">
          You can try again after {seconds === 1 ? 'a second' : `${seconds} seconds`}.
        </Text>
      )}
      {requestId === undefined ? null : (
        <Text size="xs" mt={4}>
          Request id: <span className="mono">{requestId}</span>
        </Text>
      )}
      <Ways error={error} {...(retry === undefined ? {} : { retry })} />
    </Alert>
  );
}

/** What is wrong; field by field, where the service has said so. */
function What({ error, shownFields }: Pick<ErrorAlertProps, 'error' | 'shownFields'>) {
  const fields = fieldErrorsOf(error);
  const others = fields.filter(({ name }) => !shownFields?.has(name));
  if (fields.length === 0) return <Text size="sm">{textOf(error)}</Text>;
  if (others.length === 0) return <Text size="sm">Please look at the fields that are marked.</Text>;
  return others.map((problem) => (
    <Text key={`${problem.field} ${problem.detail}`} size="sm">
      {sentenceOf(problem)}
    </Text>
  ));
}

/** What the service says of `end_time` goes on from its name, unless it is a sentence already. */
function sentenceOf({ field, detail }: FieldError): string {
  const words = field.replaceAll('_', ' ');
  const label = words.charAt(0).toUpperCase() + words.slice(1);
  return /^\p{Lu}/u.test(detail) ? `${label}: ${detail}` : `${label} ${detail}.`;
}

/** Of what the service would say the same again. */
const finalReasons: ReadonlySet<string> = new Set(['forbidden', 'not_found']);

/** What the user can do about it. */
function Ways({ error, retry }: Pick<ErrorAlertProps, 'error' | 'retry'>) {
  const isFinal = finalReasons.has(reasonOf(error) ?? '');
  return retry === undefined || isFinal ? null : <Way label="Try again" act={retry} />;
}

function Way({ label, act }: { readonly label: string; readonly act: () => unknown }) {
  return (
    <Group mt="sm">
      <Button variant="default" size="xs" onClick={() => void act()}>
        {label}
      </Button>
    </Group>
  );
}

const titles: Record<string, string> = {
  forbidden: 'You may not do this',
  not_found: 'Not found',
  conflict: 'This is not possible now',
  invalid_argument: 'Something is not right yet',
  'identity.credential_invalid': 'The sign-in was refused',
  payload_too_large: 'Too large',
  step_up_required: 'Please sign in again',
  step_up_declined: 'This was not done',
  session_changed: 'This was not done',
  rate_limited: 'Too many attempts',
  unavailable: 'Not available at the moment',
};

function titleOf(error: unknown): string {
  const reason = reasonOf(error);
  if (reason !== undefined) return titles[reason] ?? 'This did not work';
  return error instanceof ConnectError ? 'The service could not be reached' : 'This did not work';
}

/** Without what Connect puts before it: the name of a code. */
function textOf(error: unknown): string {
  if (error instanceof ConnectError) {
    return reasonOf(error) === undefined
      ? 'Please check your connection and try again.'
      : error.rawMessage;
  }
  return error instanceof Error ? error.message : String(error);
}
