// Errors of the catalogue over HTTP: RFC 9457, and RFC 6749 §5.2 on the routes that issue tokens.
import type { Failure } from '../../base/errors/errors.ts';

export type Problem = {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
};

export type ProblemContext = {
  readonly publicUrl: string;
  readonly requestId: string;
  readonly oauthErrors: boolean;
  /** Replaces the status of the catalogue, which does not contain 408, 417 and 431. */
  readonly status?: number;
  /** The `WWW-Authenticate` of a 401 without a challenge. */
  readonly challenge?: string | undefined;
};

/** Characters that `error_description` must not contain (RFC 6749 §5.2), such as quotes. */
const notDescription = /[^\x20\x21\x23-\x5b\x5d-\x7e]/gu;

export function problemOf(failure: Failure, context: ProblemContext): Problem {
  const { code, title, message, extra } = failure;
  const status = context.status ?? failure.status;
  const body: Record<string, unknown> = {
    type: `${context.publicUrl}/errors#${code}`,
    title,
    status,
    detail: message,
    code,
    request_id: context.requestId,
  };
  if (code === 'invalid_argument' || extra.fields !== undefined) body.errors = extra.fields ?? [];
  if (context.oauthErrors) {
    body.error = failure.oauth;
    body.error_description = message.replace(notDescription, '?');
  }
  const headers: Record<string, string> = {
    'content-type': context.oauthErrors ? 'application/json' : 'application/problem+json',
    'cache-control': 'no-store',
    ...(context.oauthErrors ? { pragma: 'no-cache' } : {}),
    'x-content-type-options': 'nosniff',
    ...extra.headers,
  };
  const challenge = extra.challenge ?? (status === 401 ? context.challenge : undefined);
  if (challenge !== undefined) headers['www-authenticate'] = challenge;
  if (extra.retryAfterSeconds !== undefined) {
    headers['retry-after'] = String(extra.retryAfterSeconds);
  }
  return { status, headers, body: JSON.stringify(body) };
}
