// Converts errors of calls to messages and exit statuses.
import { Code, ConnectError } from '@connectrpc/connect';
import {
  BadRequestSchema,
  ErrorInfoSchema,
  RequestInfoSchema,
  RetryInfoSchema,
} from '../../../gen/google/rpc/error_details_pb.js';
import { CommandError } from '../base/command.ts';
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

class ServerError extends CommandError {
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
  forbidden: 'access',
  'identity.credential_invalid': 'access',
  'identity.code_required': 'access',
  'identity.code_invalid': 'access',
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

/** The error code of the service; undefined if the error is not an answer of the service. */
export function errorCodeIn(error: unknown): string | undefined {
  if (!(error instanceof ConnectError)) return undefined;
  return error.findDetails(ErrorInfoSchema).find(({ domain }) => domain === 'latchkey')?.reason;
}

const signIn = '\nRun: latchkey login';
const hints: Readonly<Record<string, string>> = {
  unauthenticated: signIn,
  step_up_required: signIn,
};

/** Returns an error with a message for the terminal. */
export function explain(error: unknown, server: string): unknown {
  if (!(error instanceof ConnectError)) return error;
  const code = errorCodeIn(error);
  if (code === undefined) return explainFailedCall(error, server);
  const delay = error.findDetails(RetryInfoSchema)[0]?.retryDelay;
  const violations = error.findDetails(BadRequestSchema).flatMap((one) => one.fieldViolations);
  return new ServerError(
    {
      code: cleanText(code),
      message: cleanText(error.rawMessage),
      errors: violations.map(({ field, description }) => ({
        field: cleanText(field),
        detail: cleanText(description),
      })),
      request_id: cleanText(error.findDetails(RequestInfoSchema)[0]?.requestId ?? ''),
      ...(delay === undefined ? {} : { retry_after_seconds: Number(delay.seconds) }),
    },
    violations.some(({ field }) => field === 'workspace_id')
      ? '\nAdd --workspace <id>.'
      : (hints[code] ?? ''),
  );
}

/** The call got no answer, or the answer of another program, such as a proxy. */
function explainFailedCall(error: ConnectError, server: string): CommandError {
  const { cause } = error;
  if (error.code === Code.Canceled) {
    return new CommandError('Interrupted.', undefined, 'interrupted');
  }
  const systemCode = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
  const what =
    error.code === Code.DeadlineExceeded
      ? `${server} did not answer in time`
      : `Cannot reach ${server}: ${cleanText(error.rawMessage)}${systemCode}`;
  return new CommandError(what, undefined, 'unavailable');
}
