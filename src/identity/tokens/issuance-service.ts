import type { ServiceImpl } from '@connectrpc/connect';
import type { IssuanceService } from '../../../gen/latchkey/identity/v1/issuance_pb.js';
import { parseRequestedScopes, requireGranted } from '../../access/scopes.ts';
import { callerOf } from '../../api/principal.ts';
import { parseAnyCredentialId } from '../../crypto/credential-format.ts';
import { type Failure, fail } from '../../errors/errors.ts';
import { authenticateClient, type ClientAuthenticationOptions } from './client-authentication.ts';
import type { Signer } from './signer.ts';

export type IssuanceOptions = ClientAuthenticationOptions & {
  readonly signer: Signer;
  readonly serviceTokenSeconds: number;
  readonly customerTokenSeconds: number;
};

export function createIssuanceService(
  options: IssuanceOptions,
): ServiceImpl<typeof IssuanceService> {
  const { directory, signer } = options;
  return {
    async issueToken({ clientId: given, clientSecret, scope, grantType }, context) {
      if (grantType !== '' && grantType !== 'client_credentials') {
        throw fail(
          'identity.unsupported_grant_type',
          'The only supported grant type is client_credentials.',
        );
      }
      const { call } = callerOf(context);
      const client = await authenticateClient(options, { clientId: given, clientSecret }, call);
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

    async exchangeApiKey({ apiKey, scope }) {
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

function wrongKey(apiKey: string): Failure {
  const target = parseAnyCredentialId(apiKey) ?? '';
  return fail('identity.credential_invalid', 'The API key is wrong.', { target });
}

function answer(accessToken: string, expiresIn: number, scope: string) {
  return { accessToken, tokenType: 'Bearer', expiresIn, scope };
}
