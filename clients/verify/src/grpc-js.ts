// An interceptor for servers with grpc-js.
import {
  Metadata,
  ResponderBuilder,
  ServerInterceptingCall,
  type ServerInterceptor,
  ServerListenerBuilder,
  status,
} from '@grpc/grpc-js';
import { check, digestOf, onlyValue } from './check.ts';
import { keepClaims } from './claims-of.ts';
import { VerifyError } from './errors.ts';
import type { TokenRule } from './rule.ts';
import type { Verifier } from './verifier.ts';

/** Returns the claims of `call.metadata`. */
export { claimsOf } from './claims-of.ts';

/** The message has not arrived when the token is checked: check its account in the handler. */
export type GrpcRule = TokenRule | { readonly public: true };

/**
 * `ruleOf` returns the rule of a path, such as `/orders.v1.OrderService/GetOrder`. A path without
 * one is refused. Of two `authorization` headers, grpc-js passes on the first alone. A proxy that
 * checks credentials in front of the server has to refuse such calls.
 */
export function requireTokens(
  verifier: Verifier,
  ruleOf: (path: string) => GrpcRule | undefined,
): ServerInterceptor {
  return ({ path }, call) => {
    const listener = new ServerListenerBuilder()
      .withOnReceiveMetadata((metadata, next) => {
        const textOf = (name: string) => onlyValue(metadata.get(name).map(String));
        const certificate = call.getAuthContext?.().sslPeerCertificate?.raw;
        const presented = {
          ...{ authorization: textOf('authorization'), dpop: textOf('dpop'), method: 'POST', path },
          certificateSha256: digestOf(certificate),
        };
        Promise.resolve()
          .then(() => check(verifier, ruleOf(path), presented, metadata))
          .then(
            (claims) => {
              if (claims !== undefined) keepClaims(metadata, claims);
              next(metadata);
            },
            (thrown: unknown) => call.sendStatus(statusOf(thrown)),
          );
      })
      .build();
    const responder = new ResponderBuilder().withStart((next) => next(listener)).build();
    return new ServerInterceptingCall(call, responder);
  };
}

const codes = {
  unauthenticated: status.UNAUTHENTICATED,
  forbidden: status.PERMISSION_DENIED,
  unavailable: status.UNAVAILABLE,
} as const;

function statusOf(thrown: unknown) {
  const metadata = new Metadata();
  if (!(thrown instanceof VerifyError)) {
    return { code: status.INTERNAL, details: 'The access check failed.', metadata };
  }
  const { code, message, challenge } = thrown;
  if (challenge !== '') metadata.set('www-authenticate', challenge);
  return { code: codes[code], details: message, metadata };
}
