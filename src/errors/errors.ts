// The catalogue: every error that leaves the service, by its code, as each transport says it.
import { Code } from '@connectrpc/connect';

type CatalogueEntry = {
  readonly status: number;
  readonly grpc: Code;
  readonly title: string;
  /** The `error` of RFC 6749 §5.2 on the routes that issue a token. */
  readonly oauth: string;
};

export const catalogue = {
  invalid_argument: {
    status: 400,
    grpc: Code.InvalidArgument,
    title: 'The request is malformed or out of bounds',
    oauth: 'invalid_request',
  },
  'identity.unsupported_grant_type': {
    status: 400,
    grpc: Code.InvalidArgument,
    title: 'The grant type is not supported',
    oauth: 'unsupported_grant_type',
  },
  'identity.scope_not_granted': {
    status: 400,
    grpc: Code.InvalidArgument,
    title: 'A requested scope is not granted',
    oauth: 'invalid_scope',
  },
  'identity.credential_invalid': {
    status: 401,
    grpc: Code.Unauthenticated,
    title: 'The credential is not valid',
    oauth: 'invalid_client',
  },
  unauthenticated: {
    status: 401,
    grpc: Code.Unauthenticated,
    title: 'A valid credential is needed',
    oauth: 'invalid_client',
  },
  step_up_required: {
    status: 401,
    grpc: Code.Unauthenticated,
    title: 'A recent sign-in is needed',
    oauth: 'invalid_client',
  },
  forbidden: {
    status: 403,
    grpc: Code.PermissionDenied,
    title: 'The credential does not permit this',
    oauth: 'unauthorized_client',
  },
  not_found: {
    status: 404,
    grpc: Code.NotFound,
    title: 'There is no such resource',
    oauth: 'invalid_request',
  },
  method_not_allowed: {
    status: 405,
    grpc: Code.Unimplemented,
    title: 'The path does not take this method',
    oauth: 'invalid_request',
  },
  conflict: {
    status: 409,
    grpc: Code.FailedPrecondition,
    title: "The resource's state forbids this",
    oauth: 'invalid_request',
  },
  gone: {
    status: 410,
    grpc: Code.NotFound,
    title: 'The resource is no longer available',
    oauth: 'invalid_request',
  },
  precondition_failed: {
    status: 412,
    grpc: Code.FailedPrecondition,
    title: 'A precondition of the request does not hold',
    oauth: 'invalid_request',
  },
  payload_too_large: {
    status: 413,
    grpc: Code.ResourceExhausted,
    title: 'The body is larger than its limit',
    oauth: 'invalid_request',
  },
  unsupported_media_type: {
    status: 415,
    grpc: Code.InvalidArgument,
    title: 'The content type is not supported',
    oauth: 'invalid_request',
  },
  range_not_satisfiable: {
    status: 416,
    grpc: Code.OutOfRange,
    title: 'The range lies beyond the end',
    oauth: 'invalid_request',
  },
  rate_limited: {
    status: 429,
    grpc: Code.ResourceExhausted,
    title: 'Too many requests',
    oauth: 'temporarily_unavailable',
  },
  canceled: {
    status: 499,
    grpc: Code.Canceled,
    title: 'The caller went away',
    oauth: 'invalid_request',
  },
  internal: {
    status: 500,
    grpc: Code.Internal,
    title: 'Something went wrong on our side',
    oauth: 'server_error',
  },
  unavailable: {
    status: 503,
    grpc: Code.Unavailable,
    title: 'The service cannot answer right now',
    oauth: 'temporarily_unavailable',
  },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof catalogue;

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
