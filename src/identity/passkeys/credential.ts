// The members of a credential (WebAuthn §5.1) that the service reads before the library.
import type { JsonObject } from '@bufbuild/protobuf';
import { invalid } from '../../base/errors/errors.ts';

const bytesMax = 16 * 1024;

export type ReadCredential = { readonly id: string; readonly userHandle: unknown };

/** Throws `invalid_argument` for an invalid id or response, and above 16 KiB of JSON. */
export function readCredential(credential: JsonObject): ReadCredential {
  if (Buffer.byteLength(JSON.stringify(credential)) > bytesMax) {
    throw invalid('credential', 'must be at most 16,384 bytes of JSON');
  }
  const { id, response } = credential;
  if (typeof id !== 'string' || !/^[\w-]+$/.test(id)) {
    throw invalid('credential.id', 'must be base64url');
  }
  if (typeof response !== 'object' || response === null || Array.isArray(response)) {
    throw invalid('credential.response', 'must be an object');
  }
  return { id, userHandle: response.userHandle };
}
