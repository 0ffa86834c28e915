// An interceptor for servers with Connect.
import type { DescMethod } from '@bufbuild/protobuf';
import {
  Code,
  ConnectError,
  type ContextValues,
  createContextKey,
  createContextValues,
  type HandlerContext,
  type Interceptor,
  type StreamRequest,
  type UnaryRequest,
} from '@connectrpc/connect';
import { certificateDigestOf, check, type HeaderLines, hasTwoCredentials } from './check.ts';
import type { TokenClaims } from './claims.ts';
import { VerifyError } from './errors.ts';
import type { Rule } from './rule.ts';
import type { Verifier } from './verifier.ts';

const claimsKey = createContextKey<TokenClaims | undefined>(undefined);

type NodeRequest = HeaderLines & { readonly socket: object };

const requestKey = createContextKey<NodeRequest>({ socket: {} });

/**
 * The option `contextValues` of the adapter for Node. Without it, every token that is bound to a
 * certificate is refused, and the first of two `Authorization` headers counts, because Connect
 * passes on no other. Of a Fastify request, pass `raw`.
 */
export const contextValuesOf = (request: NodeRequest): ContextValues =>
  createContextValues().set(requestKey, request);

/** Returns the claims of a call. Throws if there are none, as in a public method. */
export function claimsOf({ values }: Pick<HandlerContext, 'values'>): TokenClaims {
  const claims = values.get(claimsKey);
  if (claims === undefined) throw new Error('The call has no verified token.');
  return claims;
}

export type ConnectRule = Rule<UnaryRequest | StreamRequest>;

/** `ruleOf` returns the rule of a method. A method without one is refused. */
export function requireTokens(
  verifier: Verifier,
  ruleOf: (method: DescMethod) => ConnectRule | undefined,
): Interceptor {
  return (next) => async (request) => {
    const nodeRequest = request.contextValues.get(requestKey);
    const authorization = request.header.get('authorization');
    const presented = {
      authorization: hasTwoCredentials(nodeRequest) ? undefined : authorization,
      dpop: request.header.get('dpop'),
      method: request.requestMethod,
      path: new URL(request.url, 'http://localhost').pathname,
      certificateSha256: certificateDigestOf(nodeRequest.socket),
    };
    try {
      const claims = await check(verifier, ruleOf(request.method), presented, request);
      if (claims !== undefined) request.contextValues.set(claimsKey, claims);
    } catch (thrown) {
      throw thrown instanceof VerifyError ? connectErrorOf(thrown) : thrown;
    }
    return next(request);
  };
}

const codes = {
  unauthenticated: Code.Unauthenticated,
  forbidden: Code.PermissionDenied,
  unavailable: Code.Unavailable,
} as const;

function connectErrorOf({ code, message, challenge }: VerifyError): ConnectError {
  const metadata = new Headers(challenge === '' ? {} : { 'www-authenticate': challenge });
  return new ConnectError(message, codes[code], metadata);
}
