/** Where the keys of a trusted issuer come from. */
import type { JsonObject } from '@bufbuild/protobuf';
import type { TrustedIssuer } from '../../../gen/latchkey/identity/v1/trusted_issuer_pb.js';
import { parseJsonField } from '../shared/json-field.tsx';

export type KeySource = 'discovery' | 'url' | 'pinned';

export type KeySourceValues = {
  readonly source: KeySource;
  readonly jwksUri: string;
  /** The JSON of a JWK set. */
  readonly jwks: string;
};

export function sourceOf({ jwks, jwksUri }: TrustedIssuer): KeySource {
  if (jwks !== undefined) return 'pinned';
  return jwksUri === '' ? 'discovery' : 'url';
}

type RequestFields = { readonly jwksUri: string; readonly jwks?: JsonObject };

/** Returns the fields of a request, of which at most one is set. */
export function toRequestFields({ source, jwksUri, jwks }: KeySourceValues): RequestFields {
  if (source === 'pinned') return { jwksUri: '', jwks: parseJsonField('jwks', jwks) };
  return { jwksUri: source === 'url' ? jwksUri : '' };
}
