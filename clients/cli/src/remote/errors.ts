// Converts errors of calls to messages and exit statuses.
import { Code, ConnectError } from '@connectrpc/connect';
import { LatchkeyError, latchkeyErrorOf } from '../../../client/src/errors.ts';
import { CommandError, UsageError } from '../base/command.ts';
import type { ExitStatus } from '../base/exit-status.ts';
import { cleanText } from '../base/text.ts';

/** An error with the members of the server's error body. */
export type ErrorData = {
  readonly code: string;
  readonly message: string;
  readonly errors: readonly { readonly field: string; readonly detail: string }[];
  readonly request_id: string;
  readonly retry_after_seconds?: number;
};

export class ServerError extends CommandError {
  readonly data: ErrorData;

  constructor(data: ErrorData, hint: string) {
    const fields = data.errors
      .map(({ field, detail }) => `${field}: ${detail}`)
      .filter((text) => text !== data.message)
      .map((text) => `\n  ${text}`)
      .join('');
    const wait = data.retry_after_seconds;
    const retry = wait === undefined ? '' : ` Try again in ${wait} s.`;
    const request = data.request_id === '' ? '' : `, request ${data.request_id}`;
    super(
      `${data.message}${retry} (${data.code}${request})${fields}${hint}`,
      undefined,
      statusOf(data.code),
    );
    this.data = data;
  }
}

const statuses: Readonly<Record<string, ExitStatus>> = {
  unauthenticated: 'access',
  step_up_required: 'access',
  second_factor_required: 'access',
  forbidden: 'access',
  'identity.credential_invalid': 'access',
  'identity.code_required': 'access',
  'identity.code_invalid': 'access',
  'identity.device_code_invalid': 'access',
  'identity.device_sign_in_denied': 'access',
  'identity.scope_not_granted': 'access',
  not_found: 'missing',
  gone: 'missing',
  conflict: 'conflict',
  precondition_failed: 'conflict',
  rate_limited: 'later',
  internal: 'internal',
  unavailable: 'unavailable',
  canceled: 'unavailable',
};

const statusOf = (code: string): ExitStatus => statuses[code] ?? 'data';

/** The code of a failed call; undefined for other errors. */
export const codeOf = (error: unknown): string | undefined =>
  isOfCall(error) ? latchkeyErrorOf(error).code : undefined;

const isOfCall = (error: unknown) =>
  error instanceof ConnectError || error instanceof LatchkeyError;

const signInCodes: readonly string[] = ['unauthenticated', 'step_up_required'];

/** Returns an error with a message for the terminal. `login` is the command that signs in. */
export function explain(error: unknown, server: string, login = 'latchkey login'): unknown {
  const own = ownErrorIn(error);
  if (own !== undefined) return own;
  if (!isOfCall(error)) return error;
  const failure = latchkeyErrorOf(error, server);
  const { code, message, fields, requestId, retryAfterSeconds } = failure;
  // Without an id, it is not an answer of the service.
  if (requestId === undefined) return explainFailedCall(failure, server);
  return new ServerError(
    {
      code: cleanText(code),
      message: cleanText(message),
      errors: fields.map(({ field, detail }) => ({
        field: cleanText(field),
        detail: cleanText(detail),
      })),
      request_id: cleanText(requestId),
      ...(retryAfterSeconds === undefined ? {} : { retry_after_seconds: retryAfterSeconds }),
    },
    hintFor(failure, server, login),
  );
}

function hintFor({ code, fields }: LatchkeyError, server: string, login: string): string {
  if (fields.some(({ field }) => field === 'workspace_id')) return '\nAdd --workspace <id>.';
  if (code === 'second_factor_required') {
    return `\nAdd one at ${server}/console. Then run: ${login}`;
  }
  return signInCodes.includes(code) ? `\nRun: ${login}` : '';
}

/** An error of this program that the library passes on as the cause of another one. */
function ownErrorIn(error: unknown): unknown {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (one instanceof CommandError || one instanceof UsageError) return one;
  }
  return undefined;
}

/** The call got no answer, or the answer of another program, such as a proxy. */
function explainFailedCall({ code, message, cause }: LatchkeyError, server: string): CommandError {
  const isLate = cause instanceof ConnectError && cause.code === Code.DeadlineExceeded;
  if (code === 'canceled' && !isLate) {
    return new CommandError('Interrupted.', undefined, 'interrupted');
  }
  const isLost = code === 'connection_failed' || isLate;
  const hint = isUntrusted(cause)
    ? '\nIf a private certificate authority has issued the certificate of the server, set ' +
      'NODE_EXTRA_CA_CERTS to the file of its certificate.'
    : '';
  const what = isLate
    ? `${server} did not answer in time`
    : isLost
      ? cleanText(message)
      : `Cannot use ${server}: the answer does not come from Latchkey (${cleanText(message)})`;
  return new CommandError(`${what}${hint}`, undefined, 'unavailable');
}

/** The codes of Node for a certificate without a trusted issuer. */
const untrustedCodes: readonly string[] = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];

function isUntrusted(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && untrustedCodes.includes(String(error.code))) return true;
  return isUntrusted(error.cause);
}
