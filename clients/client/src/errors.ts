// The one error that this package throws, with the codes of the server's error catalogue.
import { Code, ConnectError } from '@connectrpc/connect';
import {
  BadRequestSchema,
  ErrorInfoSchema,
  RequestInfoSchema,
  RetryInfoSchema,
} from '../../../gen/google/rpc/error_details_pb.js';
import { type ErrorCode, errorCodes } from './error-codes.ts';

/** The codes that this package adds to those of the server. */
export type LocalErrorCode =
  /** The server did not answer: connection refused or lost, name not found, TLS failed. */
  | 'connection_failed'
  /**
   * The answer does not come from Latchkey, and its status does not name one of its codes. Or a
   * message has more than 64 MiB, or a list returns to an earlier page.
   */
  | 'unexpected_answer';

/** A request field, by its proto name, and its problem. */
export type FieldError = { readonly field: string; readonly detail: string };

export type LatchkeyErrorOptions = {
  readonly fields?: readonly FieldError[];
  readonly retryAfterSeconds?: number | undefined;
  readonly requestId?: string | undefined;
  readonly cause?: unknown;
};

/** Thrown by every method of this package. `docs/errors.md` explains each code. */
export class LatchkeyError extends Error {
  readonly code: ErrorCode | LocalErrorCode;
  /** The invalid fields. Empty unless `code` is `invalid_argument`. */
  readonly fields: readonly FieldError[];
  /** Seconds until a retry can succeed, if the server returned them. */
  readonly retryAfterSeconds: number | undefined;
  /** The id under which the server logged the call. */
  readonly requestId: string | undefined;

  constructor(
    code: ErrorCode | LocalErrorCode,
    message: string,
    options: LatchkeyErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'LatchkeyError';
    this.code = code;
    this.fields = options.fields ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.requestId = options.requestId;
  }
}

const known: ReadonlySet<string> = new Set(errorCodes);

/** Narrows a code from the wire. Newer servers may have codes that this version does not know. */
function isErrorCode(text: unknown): text is ErrorCode {
  return typeof text === 'string' && known.has(text);
}

/** The codes for answers without `google.rpc.ErrorInfo`, such as those of a proxy. */
const codesByStatus: Partial<Record<Code, ErrorCode>> = {
  [Code.Canceled]: 'canceled',
  [Code.DeadlineExceeded]: 'canceled',
  [Code.InvalidArgument]: 'invalid_argument',
  [Code.NotFound]: 'not_found',
  [Code.PermissionDenied]: 'forbidden',
  [Code.ResourceExhausted]: 'rate_limited',
  [Code.Unauthenticated]: 'unauthenticated',
  [Code.Unavailable]: 'unavailable',
};

/** Converts anything that a transport throws. The message of a failed connection names `server`. */
export function latchkeyErrorOf(thrown: unknown, server?: string): LatchkeyError {
  if (thrown instanceof LatchkeyError) return thrown;
  const error = ConnectError.from(thrown);
  if (error.cause instanceof LatchkeyError) return error.cause;
  const [info] = error.findDetails(ErrorInfoSchema);
  const [request] = error.findDetails(RequestInfoSchema);
  const [bad] = error.findDetails(BadRequestSchema);
  const [retry] = error.findDetails(RetryInfoSchema);
  const options = {
    fields: (bad?.fieldViolations ?? []).map(({ field, description }) => ({
      field,
      detail: description,
    })),
    retryAfterSeconds:
      retry?.retryDelay === undefined
        ? secondsOf(error.metadata.get('retry-after'))
        : Number(retry.retryDelay.seconds),
    requestId: request?.requestId ?? error.metadata.get('x-request-id') ?? undefined,
    cause: thrown,
  };
  if (!isErrorCode(info?.reason) && isTooLarge(error)) return tooLarge(options);
  const code = codeOf(error, info?.reason);
  const message =
    code === 'connection_failed' && server !== undefined
      ? connectionMessage(server, error.cause)
      : error.rawMessage;
  return new LatchkeyError(code, message, options);
}

/**
 * `fetch` hides the reason in the cause of its TypeError. Its own message is left out: for an
 * invalid header, it contains the credential.
 */
export function connectionMessage(server: string, cause?: unknown): string {
  const failure = cause instanceof TypeError ? cause.cause : cause;
  const start = `The connection to ${server} failed`;
  if (!(failure instanceof Error)) return `${start}.`;
  const code = 'code' in failure ? String(failure.code) : '';
  if (failure.message.includes(code)) return `${start}: ${failure.message}`;
  return `${start}: ${failure.message === '' ? code : `${failure.message} (${code})`}`;
}

/** The error for a message that is larger than `messageBytesMax`. Another try cannot succeed. */
export const tooLarge = (options?: LatchkeyErrorOptions) =>
  new LatchkeyError('unexpected_answer', 'A message of the answer is larger than 64 MiB.', options);

/** Connect gives it the code of quotas. */
const isTooLarge = ({ code, rawMessage }: ConnectError) =>
  code === Code.ResourceExhausted && rawMessage.includes('configured readMaxBytes');

function codeOf(error: ConnectError, reason: string | undefined): LatchkeyError['code'] {
  if (isErrorCode(reason)) return reason;
  if (isConnectionFailure(error)) return 'connection_failed';
  return codesByStatus[error.code] ?? 'unexpected_answer';
}

/** `fetch` throws a TypeError; Node's HTTP/2 client throws errors with a code. */
function isConnectionFailure({ cause, code }: ConnectError): boolean {
  if (cause instanceof TypeError) return true;
  if (code === Code.Canceled || code === Code.DeadlineExceeded) return false;
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string';
}

const codesByHttpStatus: Record<number, ErrorCode> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  413: 'payload_too_large',
  429: 'rate_limited',
  502: 'unavailable',
  503: 'unavailable',
  504: 'unavailable',
};

export type HttpAnswer = {
  readonly status: number;
  /** Returns a header, or null. */
  readonly header: (name: string) => string | null;
  readonly text: string;
};

/** Converts an error of the HTTP/JSON transport (RFC 9457). */
export function latchkeyErrorOfAnswer({ status, header, text }: HttpAnswer): LatchkeyError {
  const problem = membersOf(text);
  const code = isErrorCode(problem.code)
    ? problem.code
    : (codesByHttpStatus[status] ?? 'unexpected_answer');
  const detail = typeof problem.detail === 'string' ? problem.detail : `HTTP status ${status}`;
  const requestId =
    typeof problem.request_id === 'string' ? problem.request_id : header('x-request-id');
  return new LatchkeyError(code, detail, {
    fields: fieldsOf(problem.errors),
    retryAfterSeconds: secondsOf(header('retry-after')),
    requestId: requestId ?? undefined,
  });
}

function fieldsOf(value: unknown): FieldError[] {
  if (!Array.isArray(value)) return [];
  return value.map((one) => ({ field: textOf(one?.field), detail: textOf(one?.detail) }));
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

function membersOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** Reads `Retry-After` (RFC 9110 §10.2.3): seconds or a date. */
function secondsOf(text: string | null): number | undefined {
  if (text === null || text === '') return undefined;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined;
}
