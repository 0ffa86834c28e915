import type { ServiceImpl } from '@connectrpc/connect';
import type { IssuanceService } from '../../../gen/latchkey/identity/v1/issuance_pb.js';
import { parseRequestedScopes, requireGranted } from '../../api/access/scopes.ts';
import type { Call } from '../../api/call.ts';
import { callerOf } from '../../api/principal.ts';
import { parseAnyCredentialId } from '../../base/crypto/credential-format.ts';
import { type Failure, fail, invalid } from '../../base/errors/errors.ts';
import type { CredentialDirectory } from '../../credentials/directory.ts';
import type { AuthenticateClient } from './client-authentication.ts';
import type { Signer } from './signer.ts';

export type IssuanceOptions = {
  readonly authenticateClient: AuthenticateClient;
  readonly directory: CredentialDirectory;
  readonly signer: Signer;
  readonly serviceTokenSeconds: number;
  readonly customerTokenSeconds: number;
};

export function createIssuanceService(
  options: IssuanceOptions,
): ServiceImpl<typeof IssuanceService> {
  const { authenticateClient, directory, signer } = options;
  return {
    async issueToken(request, context) {
      const { scope, grantType } = request;
      const { call } = callerOf(context);
      refuseUnsupported(request, call);
      if (grantType !== '' && grantType !== 'client_credentials') {
        throw fail(
          'identity.unsupported_grant_type',
          'The only supported grant type is client_credentials.',
        );
      }
      const client = await authenticateClient(request, call);
      const { clientId } = client;
      const scopes = parseRequestedScopes(scope);
      requireGranted(scopes, client.scopes);
      const granted = scopes.join(' ');
      const { token, lifetimeSeconds } = await signer.sign(
        {
          sub: clientId,
          client_id: clientId,
          scope: granted,
          principal_type: 'service',
        },
        options.serviceTokenSeconds,
      );
      return answer(token, lifetimeSeconds, granted);
    },

    async exchangeApiKey(request, context) {
      const { apiKey, scope } = request;
      refuseUnsupported(request, callerOf(context).call);
      const key = await directory.authenticate('ck', apiKey);
      if (key === undefined) throw wrongKey(apiKey);
      const scopes = scope === '' ? [...key.scopes] : parseRequestedScopes(scope);
      requireGranted(scopes, key.scopes);
      const granted = scopes.join(' ');
      const { token, lifetimeSeconds } = await signer.sign(
        {
          sub: key.ownerId,
          client_id: key.id,
          scope: granted,
          principal_type: 'customer',
          accounts: key.accounts,
        },
        options.customerTokenSeconds,
        key.expireTime === undefined ? undefined : Math.floor(key.expireTime / 1000),
      );
      if (lifetimeSeconds < 1) throw wrongKey(apiKey);
      return answer(token, lifetimeSeconds, granted);
    },
  };
}

type Target = { readonly resource: string; readonly audience: string };

/** Refuses parameters that would limit a token: the caller would take it for a limited one. */
function refuseUnsupported(target: Target, call: Call): void {
  for (const name of ['resource', 'audience'] as const) {
    if (target[name] === '') continue;
    const reason = 'is not supported, because all tokens have the audience of this service';
    throw fail('identity.invalid_target', `${name}: ${reason}`);
  }
  if (call.header('dpop') !== undefined) {
    throw invalid('DPoP', 'is not supported, because all tokens are bearer tokens');
  }
}

function wrongKey(apiKey: string): Failure {
  const target = parseAnyCredentialId(apiKey) ?? '';
  return fail('identity.credential_invalid', 'The API key is wrong.', { target });
}

function answer(accessToken: string, expiresIn: number, scope: string) {
  return { accessToken, tokenType: 'Bearer', expiresIn, scope };
}
