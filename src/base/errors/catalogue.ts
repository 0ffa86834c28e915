// The catalogue: every error that leaves the service, by its code. It is the source of
// docs/errors.md (npm run generate) and of the HTML at /errors.
import { Code } from '@connectrpc/connect';
import { type CatalogueEntry, identityErrors } from './identity-errors.ts';

export const catalogue = {
  invalid_argument: {
    status: 400,
    grpc: Code.InvalidArgument,
    title: 'Invalid request',
    cause:
      'A value is missing, malformed or out of bounds, or the request has a field or a query ' +
      'parameter that the method does not know.',
    remedy:
      'Correct the fields that `errors` names before you retry. Check the spelling of unknown ' +
      'fields: the service never ignores one in a JSON body.',
    oauth: 'invalid_request',
  },
  ...identityErrors,
  unauthenticated: {
    status: 401,
    grpc: Code.Unauthenticated,
    title: 'Authentication required',
    cause:
      'The bearer credential or session cookie is missing, malformed, expired or revoked, or is ' +
      'of a kind that the method does not accept, such as an API key where it needs a token.',
    remedy: 'Get a new token, or sign in again, and repeat the request once.',
    oauth: 'invalid_client',
  },
  step_up_required: {
    status: 401,
    grpc: Code.Unauthenticated,
    title: 'Recent sign-in required',
    cause:
      'The method needs a recent sign-in (RFC 9470), and the user signed in too long ago. ' +
      'Refreshing the session does not count as a sign-in.',
    remedy:
      'Sign in again and repeat the request with the new token. `max_age` in ' +
      '`WWW-Authenticate` is the permitted age of the sign-in in seconds.',
    oauth: 'invalid_client',
  },
  second_factor_required: {
    status: 403,
    grpc: Code.PermissionDenied,
    title: 'Second factor required',
    cause:
      'The installation or a workspace of the user requires a second factor, the grace period is ' +
      'over, and the user signed in without one. The user can only add a second factor. Or users ' +
      'change their own factors in a session that has proven none of them.',
    remedy: 'Add a passkey or an authenticator app and refresh the session, or sign in with one.',
    oauth: 'access_denied',
  },
  forbidden: {
    status: 403,
    grpc: Code.PermissionDenied,
    title: 'Not permitted',
    cause:
      'The credential is valid, but it lacks the required scope, is of the wrong kind, or gives ' +
      'no access to the account or workspace. For a shared link: the reader has not passed the ' +
      'gate, or the sender does not permit downloads.',
    remedy:
      'Use a credential with the scope that `WWW-Authenticate` names. For a workspace, ask one ' +
      'of its owners or admins for access.',
    oauth: 'unauthorized_client',
  },
  not_found: {
    status: 404,
    grpc: Code.NotFound,
    title: 'Not found',
    cause:
      'No such resource exists for this caller, or the service has nothing at this path. A ' +
      'resource of another workspace counts as not found, too.',
    remedy: 'Check the id, the workspace and the path.',
    oauth: 'invalid_request',
  },
  method_not_allowed: {
    status: 405,
    grpc: Code.Unimplemented,
    title: 'Method not allowed',
    cause: 'The path exists, but not with this HTTP method.',
    remedy: 'Use one of the methods in the `Allow` header.',
    oauth: 'invalid_request',
  },
  conflict: {
    status: 409,
    grpc: Code.FailedPrecondition,
    title: 'Conflict with the current state',
    cause:
      "The state of the resource does not permit the change, or a workspace's quota is used up. " +
      'The detail names the quota. Over gRPC the status is ALREADY_EXISTS if a resource with ' +
      'the same unique value exists.',
    remedy:
      'Read the resource, resolve the conflict and try again. For a quota, delete documents or ' +
      'ask an administrator for a larger quota.',
    oauth: 'invalid_request',
  },
  idempotency_key_reused: {
    status: 409,
    grpc: Code.FailedPrecondition,
    title: 'Idempotency key reused',
    cause:
      'The caller sent the same `Idempotency-Key` within the last 24 hours with another request: ' +
      'another method, another body or another workspace.',
    remedy:
      'Send a new random key with each new request. Repeat a key only to retry the request that ' +
      'it was made for, with the same body.',
    oauth: 'invalid_request',
  },
  gone: {
    status: 410,
    grpc: Code.NotFound,
    title: 'Link expired or revoked',
    cause: 'The shared link has expired, was revoked, or has reached its view limit.',
    remedy: 'Ask the sender for a new link.',
    oauth: 'invalid_request',
  },
  precondition_failed: {
    status: 412,
    grpc: Code.FailedPrecondition,
    title: 'Precondition failed',
    cause: 'The resource has changed: its `etag` is not that of the request or of `If-Match`.',
    remedy: 'Read the resource again. Repeat the request with its current `etag`.',
    oauth: 'invalid_request',
  },
  payload_too_large: {
    status: 413,
    grpc: Code.ResourceExhausted,
    title: 'Body too large',
    cause: 'A request body, a gRPC message or an uploaded file is larger than its limit.',
    remedy:
      'Send less. The operator sets the limit of a file (`LATCHKEY_MAX_UPLOAD_BYTES`). Other ' +
      'bodies have at most 256 KiB. A message of a streamed upload has at most 1 MiB over gRPC ' +
      'and 2 MiB over Connect.',
    oauth: 'invalid_request',
  },
  unsupported_media_type: {
    status: 415,
    grpc: Code.InvalidArgument,
    title: 'Unsupported content type',
    cause: 'The route does not accept the content type, the charset or the compression.',
    remedy:
      'Set a `Content-Type` that the detail names. Do not compress the body of an HTTP/JSON ' +
      'request.',
    oauth: 'invalid_request',
  },
  range_not_satisfiable: {
    status: 416,
    grpc: Code.OutOfRange,
    title: 'Range beyond the end of the file',
    cause: 'The requested byte range begins beyond the last byte of the document.',
    remedy: 'Request a range within the size that `Content-Range` states.',
    oauth: 'invalid_request',
  },
  rate_limited: {
    status: 429,
    grpc: Code.ResourceExhausted,
    title: 'Too many requests',
    cause:
      'The caller, network, link or workspace has made too many attempts, requested too many ' +
      'mails, or has too many requests in progress.',
    remedy: 'Wait for the seconds in `Retry-After`, then repeat the request.',
    oauth: 'temporarily_unavailable',
  },
  canceled: {
    status: 499,
    grpc: Code.Canceled,
    title: 'Request canceled',
    cause:
      'The caller closed the connection before the response (only logs and metrics show this), ' +
      'or an upload stopped before its end. If the deadline of the call passed or the body did ' +
      'not arrive in time, the gRPC status is DEADLINE_EXCEEDED.',
    remedy: 'Set a longer deadline, or send the body without pauses, and repeat the request.',
    oauth: 'invalid_request',
  },
  internal: {
    status: 500,
    grpc: Code.Internal,
    title: 'Internal error',
    cause: 'A fault in the service. Only the log of the service contains the details.',
    remedy:
      'Report the `request_id` to the operator, who finds the cause in the log under this id.',
    oauth: 'server_error',
  },
  unavailable: {
    status: 503,
    grpc: Code.Unavailable,
    title: 'Service temporarily unavailable',
    cause:
      'The database, the disk or the mail server is unreachable or full, the service is ' +
      'overloaded, or it is shutting down.',
    remedy:
      'Wait for the seconds in `Retry-After`, then repeat the request. If the error persists, ' +
      'contact the operator.',
    oauth: 'temporarily_unavailable',
  },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof catalogue;

export function grpcStatusName(status: Code): string {
  // Connect spells it with one L, gRPC with two.
  if (status === Code.Canceled) return 'CANCELLED';
  return (Code[status] ?? '').replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
}
