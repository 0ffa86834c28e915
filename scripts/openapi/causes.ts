// The possible errors of an operation.
import { type Access, PrincipalType } from '../../gen/latchkey/options/v1/access_pb.js';
import type { Endpoint } from '../../src/api/endpoint.ts';
import { catalogue, type ErrorCode } from '../../src/base/errors/catalogue.ts';
import type { Binding } from '../../src/transports/gateway/binding.ts';
import { errorsIn } from './comments.ts';
import { downloadHeaders } from './download.ts';
import { type Causes, isErrorCode } from './errors.ts';

/** With an Idempotency-Key, each method can throw this. */
const keyConflict =
  'An earlier call with the same `Idempotency-Key` succeeded, but the master key has changed ' +
  'since then. Its answer can no longer be decrypted.';

/** The errors that a method's comment lists, and those of every such method. */
export function causesOf({ endpoint, method, template }: Binding, comment: string): Causes {
  const { access, kind } = endpoint;
  const hasBody = method !== 'GET';
  const isPublic = access.public;
  const general: (ErrorCode | false)[] = [
    'invalid_argument',
    !isPublic && 'unauthenticated',
    (access.recentSignIn || access.recentSignInFields.length > 0) && 'step_up_required',
    !isPublic && 'forbidden',
    isForUsers(access) && !access.secondFactorEnrolment && 'second_factor_required',
    (template.variables.length > 0 || access.workspace) && 'not_found',
    endpoint.http.publicMaxAgeSeconds > 0 && 'precondition_failed',
    endpoint.acceptsIdempotencyKey && 'idempotency_key_reused',
    hasBody && 'payload_too_large',
    hasBody && 'unsupported_media_type',
    'rate_limited',
    hasBody && 'canceled',
    'internal',
    'unavailable',
  ];
  const causes = new Map<ErrorCode, string>();
  for (const code of general) if (code !== false) causes.set(code, '');
  for (const [code, cause] of errorsIn(comment)) {
    if (!isErrorCode(code)) throw new Error(`${endpoint.name} lists the unknown error ${code}`);
    const isBounds = code === 'invalid_argument';
    causes.set(code, isBounds ? `${cause} ${catalogue[code].cause}` : cause);
  }
  if (endpoint.acceptsIdempotencyKey) {
    const own = causes.get('conflict');
    causes.set('conflict', own === undefined ? keyConflict : `${own} ${keyConflict}`);
  }
  if (kind === 'server_streaming') addDownloadErrors(endpoint, causes);
  return causes;
}

const isForUsers = ({ principals }: Access) =>
  principals.includes(PrincipalType.STAFF) || principals.includes(PrincipalType.MEMBER);

function addDownloadErrors({ descriptor }: Endpoint, causes: Map<ErrorCode, string>): void {
  const names = downloadHeaders(descriptor.input);
  if (names.includes('If-Match')) causes.set('precondition_failed', '');
  if (names.includes('Range')) causes.set('range_not_satisfiable', '');
}
