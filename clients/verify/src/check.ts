// The check that every middleware makes.
import { createHash } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { TokenClaims } from './claims.ts';
import { forbidden } from './errors.ts';
import type { PresentedToken } from './proofs.ts';
import { authorize, type Rule } from './rule.ts';
import type { Verifier } from './verifier.ts';

/** A request whose path, or absolute URL, is the one that its caller used. */
export type PresentedRequest = Omit<PresentedToken, 'url'> & { readonly path: string };

/** Undefined if there are several: another program might read a different one. */
export function onlyValue(value: string | string[] | undefined): string | undefined {
  const [only, ...others] = value === undefined ? [] : [value].flat();
  return others.length === 0 ? only : undefined;
}

export type HeaderLines = {
  /** Names and values in turn. Adapters of functions as a service may leave it out. */
  readonly rawHeaders?: readonly string[];
};

/** Whether there are two `Authorization` headers. Node keeps the first. */
export function hasTwoCredentials({ rawHeaders = [] }: HeaderLines): boolean {
  const names = rawHeaders.filter((_, i) => i % 2 === 0);
  return names.filter((name) => name.toLowerCase() === 'authorization').length > 1;
}

type Request = HeaderLines & { readonly headers: { readonly authorization?: string | undefined } };

/** The value of the `Authorization` header. Undefined if there are two. */
export const onlyAuthorization = (request: Request) =>
  hasTwoCredentials(request) ? undefined : request.headers.authorization;

/** The digest of a certificate in DER form (RFC 8705 §3.1). */
export const digestOf = (der: Uint8Array | undefined): string | undefined =>
  der === undefined ? undefined : createHash('sha256').update(der).digest('base64url');

/** The digest of the certificate with which the caller connected to a Node server over TLS. */
export function certificateDigestOf(socket: object): string | undefined {
  return digestOf((socket as Partial<TLSSocket>).getPeerX509Certificate?.()?.raw);
}

/**
 * Returns the claims, or undefined on a public route. Throws a VerifyError. A missing rule is
 * refused, so that a forgotten route is closed. Errors of the functions of a rule pass through.
 */
export async function check<Request>(
  verifier: Verifier,
  rule: Rule<Request> | undefined,
  presented: PresentedRequest,
  request: Request,
): Promise<TokenClaims | undefined> {
  if (rule !== undefined && 'public' in rule && rule.public) return undefined;
  const { path, ...token } = presented;
  const { baseUrl } = verifier;
  const url = baseUrl === undefined ? undefined : urlOf(path, baseUrl);
  const claims = await verifier.verifyRequest({ ...token, url });
  if (rule === undefined || 'public' in rule) throw forbidden([]);
  authorize(claims, rule, request);
  return claims;
}

/**
 * A request target can be a whole URL (RFC 9112 §3.2.2), whose origin the caller chose. Only its
 * path counts: otherwise the proof for another service would be accepted here.
 */
function urlOf(target: string, baseUrl: string): string {
  const path = target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '');
  // Without the slash, the target `*@other.example` would name another host.
  return new URL(baseUrl).origin + (path.startsWith('/') ? path : `/${path}`);
}
