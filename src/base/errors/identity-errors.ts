// The errors of the identity module, as a part of the catalogue.
import { Code } from '@connectrpc/connect';

export type CatalogueEntry = {
  readonly status: number;
  readonly grpc: Code;
  readonly title: string;
  readonly cause: string;
  readonly remedy: string;
  /** The `error` of RFC 6749 §5.2 on the routes that issue a token. */
  readonly oauth: string;
};

export const identityErrors = {
  'identity.unsupported_grant_type': {
    status: 400,
    grpc: Code.InvalidArgument,
    title: 'Unsupported grant type',
    cause:
      'The `grant_type` is neither `client_credentials` nor ' +
      '`urn:ietf:params:oauth:grant-type:token-exchange`.',
    remedy: 'Set `grant_type` to one of them.',
    oauth: 'unsupported_grant_type',
  },
  'identity.scope_not_granted': {
    status: 400,
    grpc: Code.InvalidArgument,
    title: 'Scope not granted',
    cause:
      'A requested scope is not granted to the client or the API key, or the scope is missing ' +
      'or malformed. Or, in a token exchange, the exchanged token does not cover it. The service ' +
      'issues no token with fewer scopes than requested.',
    remedy: 'Request granted scopes only, or ask an administrator to grant the scope.',
    oauth: 'invalid_scope',
  },
  'identity.invalid_target': {
    status: 400,
    grpc: Code.InvalidArgument,
    title: 'Invalid target',
    cause:
      'The `resource` of the token request (RFC 8707) is not one of the audiences of the client ' +
      'or customer, or is missing although there are several. Or, in a token exchange, it is not ' +
      'the audience of the exchanged token. Or the request has an `audience`.',
    remedy:
      'Set `resource` to the identifier of a granted audience, or ask an administrator to grant ' +
      'the audience. Do not set `audience`.',
    oauth: 'invalid_target',
  },
  'identity.invalid_dpop_proof': {
    status: 400,
    grpc: Code.InvalidArgument,
    title: 'Invalid DPoP proof',
    cause:
      'The DPoP proof of the token request (RFC 9449) is not valid. Or the client has ' +
      '`bound_tokens`, and the request has neither a proof nor a client certificate.',
    remedy:
      'Sign a new proof for each request, with `POST` as `htm`, its URL as `htu`, ' +
      'the current time as `iat`, a new `jti`, and the last `DPoP-Nonce` as `nonce`.',
    oauth: 'invalid_dpop_proof',
  },
  'identity.dpop_nonce_required': {
    status: 400,
    grpc: Code.InvalidArgument,
    title: 'DPoP nonce required',
    cause: 'The DPoP proof has no nonce of the service, or its nonce has expired (RFC 9449 §8).',
    remedy: 'Repeat the request with a new proof that has the header `DPoP-Nonce` as its `nonce`.',
    oauth: 'use_dpop_nonce',
  },
  'identity.credential_invalid': {
    status: 401,
    grpc: Code.Unauthenticated,
    title: 'Invalid credential',
    cause:
      'The client id, secret or API key is wrong, unknown, disabled, revoked or expired. At a ' +
      "user's sign-in, the email address, the password or the one-time code is wrong. The link " +
      'of a password reset or an invitation is wrong, used or expired. The response does not ' +
      'reveal which. A user who changes their own password gave a wrong current one, which ' +
      '`errors` names.',
    remedy:
      'Check the credential and whether it is still active. If it is not, do not retry: ask an ' +
      'administrator for a new one.',
    oauth: 'invalid_client',
  },
  'identity.code_required': {
    status: 401,
    grpc: Code.Unauthenticated,
    title: 'One-time code required',
    cause:
      "The email address and the password of a user's sign-in are right. The user has a second " +
      'factor, and the request has no one-time code. The audit log records no failure.',
    remedy: 'Repeat the request with a one-time code or a recovery code in `otp`.',
    oauth: 'invalid_client',
  },
  'identity.code_invalid': {
    status: 401,
    grpc: Code.Unauthenticated,
    title: 'Wrong one-time code',
    cause:
      "The email address and the password of a user's sign-in are right, but the one-time code " +
      'is wrong or was used.',
    remedy: 'Repeat the request with the current code of the authenticator app.',
    oauth: 'invalid_client',
  },
  'identity.authorization_pending': {
    status: 400,
    grpc: Code.FailedPrecondition,
    title: 'Waiting for the user',
    cause: 'The user has not yet approved or denied the command-line sign-in.',
    remedy: 'Repeat the call after the `interval` of `POST /oauth2/device`.',
    oauth: 'authorization_pending',
  },
  'identity.device_sign_in_denied': {
    status: 400,
    grpc: Code.FailedPrecondition,
    title: 'Sign-in denied',
    cause: 'The user denied the command-line sign-in.',
    remedy: 'Do not repeat the call. Start another sign-in if the user wants one.',
    oauth: 'access_denied',
  },
  'identity.device_code_invalid': {
    status: 400,
    grpc: Code.InvalidArgument,
    title: 'Invalid device code',
    cause:
      'The code of a command-line sign-in is unknown, expired or used. Or the session ' +
      'that approved it has ended, or its user or provider is disabled. The response does not ' +
      'reveal which.',
    remedy: 'Do not repeat the call. Start another sign-in.',
    oauth: 'expired_token',
  },
} as const satisfies Record<string, CatalogueEntry>;
