// The errors that the service throws. Each has a code of the catalogue.
import type { Code } from '@connectrpc/connect';
import { catalogue, type ErrorCode } from './catalogue.ts';

export type { ErrorCode };

/** A request field, by its proto name, and its problem. */
export type FieldError = { readonly field: string; readonly detail: string };

type FailureExtra = {
  readonly fields?: readonly FieldError[];
  /** The value of `WWW-Authenticate` (RFC 9110 §11.6.1). */
  readonly challenge?: string;
  readonly retryAfterSeconds?: number;
  /** For codes with several gRPC statuses (`conflict`). */
  readonly grpc?: Code;
  /** The id of the call's target, for the audit log. Never sent. */
  readonly target?: string;
  /** Why a credential is not valid, in fixed words, for the audit log. Never sent. */
  readonly reason?: string;
  /** Additional response headers, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For the log only. Never sent. */
  readonly cause?: unknown;
};

export class Failure extends Error {
  readonly code: ErrorCode;
  readonly extra: FailureExtra;

  constructor(code: ErrorCode, detail: string, extra: FailureExtra) {
    super(detail, extra.cause === undefined ? undefined : { cause: extra.cause });
    this.name = 'Failure';
    this.code = code;
    this.extra = extra;
  }

  get status(): number {
    return catalogue[this.code].status;
  }

  get grpc(): Code {
    return this.extra.grpc ?? catalogue[this.code].grpc;
  }

  get title(): string {
    return catalogue[this.code].title;
  }

  get oauth(): string {
    return catalogue[this.code].oauth;
  }
}

/** Creates an error of the catalogue. `detail` is public and must not contain secrets. */
export function fail(code: ErrorCode, detail: string, extra: FailureExtra = {}): Failure {
  return new Failure(code, detail, extra);
}

export function invalid(field: string, detail: string): Failure {
  return fail('invalid_argument', `${field}: ${detail}`, { fields: [{ field, detail }] });
}

/** Returns a resource, or throws `not_found` if it does not exist. */
export function requireFound<R>(found: R | undefined, noun: string): R {
  if (found === undefined) throw fail('not_found', `The ${noun} does not exist.`);
  return found;
}

export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  if (thrown instanceof Error && isGone(thrown)) {
    return fail('canceled', 'The caller closed the connection.', { cause: thrown });
  }
  return fail('internal', 'An internal error occurred.', { cause: thrown });
}

/** Node's error codes for a connection that closed during the request or the response. */
const goneCodes = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR']);

function isGone(error: Error): boolean {
  return error.name === 'AbortError' || ('code' in error && goneCodes.has(String(error.code)));
}
