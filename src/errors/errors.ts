// Errors as the service throws them: each has a code of the catalogue.
import type { Code } from '@connectrpc/connect';
import { catalogue, type ErrorCode } from './catalogue.ts';

export type { ErrorCode };

/** A field of the request, by its proto name, and what is wrong with it. */
export type FieldError = { readonly field: string; readonly detail: string };

type FailureExtra = {
  readonly fields?: readonly FieldError[];
  /** The value of `WWW-Authenticate` (RFC 9110 §11.6.1). */
  readonly challenge?: string;
  /** Seconds until a retry makes sense. */
  readonly retryAfterSeconds?: number;
  /** Where one code has several gRPC statuses (`conflict`). */
  readonly grpc?: Code;
  /** The id of what the call was about, for the audit log; never sent. */
  readonly target?: string;
  /** More headers of the HTTP answer, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For the log only; never sent. */
  readonly cause?: unknown;
};

/** An error as the caller sees it. Its message is public; its cause is not. */
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

/** Makes an error of the catalogue. `detail` is public: no secret, nothing internal. */
export function fail(code: ErrorCode, detail: string, extra: FailureExtra = {}): Failure {
  return new Failure(code, detail, extra);
}

/** Makes `invalid_argument` for one field, named as in the proto. */
export function invalid(field: string, detail: string): Failure {
  return fail('invalid_argument', `${field}: ${detail}`, { fields: [{ field, detail }] });
}

/** Turns whatever was thrown into an error of the catalogue; what is not one is `internal`. */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  if (thrown instanceof Error && isGone(thrown)) {
    return fail('canceled', 'The caller went away.', { cause: thrown });
  }
  return fail('internal', 'Something went wrong on our side.', { cause: thrown });
}

/** The codes that Node gives the end of a caller's connection amid its request or answer. */
const goneCodes = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR']);

function isGone(error: Error): boolean {
  return error.name === 'AbortError' || ('code' in error && goneCodes.has(String(error.code)));
}
