// The refusals of this package, with the codes of the server. Their texts are constant: a caller
// does not learn why a token was refused.

export type VerifyErrorCode =
  /** No valid token. HTTP 401, gRPC UNAUTHENTICATED. */
  | 'unauthenticated'
  /** The token lacks the scope or the account, or is of the wrong kind. 403, PERMISSION_DENIED. */
  | 'forbidden'
  /** The keys could not be fetched. HTTP 503, gRPC UNAVAILABLE. */
  | 'unavailable';

const texts = {
  unauthenticated: { status: 401, title: 'Authentication required' },
  forbidden: { status: 403, title: 'Not permitted' },
  unavailable: { status: 503, title: 'Service temporarily unavailable' },
} as const;

/** Thrown by `verify` and `authorize`. `cause` has the reason, for your log only. */
export class VerifyError extends Error {
  readonly code: VerifyErrorCode;
  /** The value of `WWW-Authenticate` (RFC 6750 §3). Empty for `unavailable`. */
  readonly challenge: string;

  constructor(code: VerifyErrorCode, challenge: string, cause?: unknown) {
    super(texts[code].title, cause === undefined ? undefined : { cause });
    this.name = 'VerifyError';
    this.code = code;
    this.challenge = challenge;
  }
}

export const noCredential = () => new VerifyError('unauthenticated', 'Bearer realm="latchkey"');

export const invalidToken = (cause: unknown) =>
  new VerifyError('unauthenticated', 'Bearer error="invalid_token"', cause);

export const unavailable = (cause: unknown) => new VerifyError('unavailable', '', cause);

export function forbidden(scopes: readonly string[]): VerifyError {
  const scope = scopes.length === 0 ? '' : `, scope="${scopes.join(' ')}"`;
  return new VerifyError('forbidden', `Bearer error="insufficient_scope"${scope}`);
}

export type HttpRefusal = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** The HTTP response for a refusal: a problem (RFC 9457) and its challenge. */
export function httpRefusalOf({ code, challenge }: VerifyError): HttpRefusal {
  const { status, title } = texts[code];
  return {
    status,
    headers: {
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...(challenge === '' ? { 'retry-after': '1' } : { 'www-authenticate': challenge }),
    },
    body: JSON.stringify({ type: 'about:blank', title, status, code }),
  };
}
