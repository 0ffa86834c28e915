import type { ServiceImpl } from '@connectrpc/connect';
import type { IssuanceService } from '../../../gen/latchkey/identity/v1/issuance_pb.js';
import { parseRequestedScopes, requireGranted } from '../../api/access/scopes.ts';
import { parseAnyCredentialId } from '../../base/crypto/credential-format.ts';
import { type Failure, fail } from '../../base/errors/errors.ts';
import type { CredentialDirectory } from '../../credentials/directory.ts';
import type { Audiences } from '../audiences/audiences.ts';
import { type KeyBinding, tokenTypeOf } from './claims.ts';
import type { AuthenticateClient } from './client-authentication.ts';
import { countedBy, type RequestCounts } from './counted-requests.ts';
import type { Signer } from './signer.ts';
import type { TokenBinding } from './token-binding.ts';
import { type ExchangeToken, refuseExchangeFields, tokenExchange } from './token-exchange.ts';

export const grantTypes: readonly string[] = ['client_credentials', tokenExchange];

export type IssuanceOptions = {
  readonly authenticateClient: AuthenticateClient;
  readonly directory: CredentialDirectory;
  readonly audiences: Audiences;
  readonly signer: Signer;
  readonly exchangeToken: ExchangeToken;
  readonly binding: Pick<TokenBinding, 'choose'>;
  readonly usage: RequestCounts;
  readonly serviceTokenSeconds: number;
  readonly customerTokenSeconds: number;
};

export function createIssuanceService(
  options: IssuanceOptions,
): ServiceImpl<typeof IssuanceService> {
  const { authenticateClient, directory, audiences, signer, binding } = options;
  const counted = countedBy(options.usage);
  return {
    issueToken: counted(async (request, call, proved) => {
      const { scope, grantType } = request;
      refuseUnsupported(request);
      if (grantType !== '' && !grantTypes.includes(grantType)) {
        throw fail(
          'identity.unsupported_grant_type',
          `The supported grant types are ${grantTypes.join(' and ')}.`,
        );
      }
      const isExchange = grantType === tokenExchange;
      if (!isExchange) refuseExchangeFields(request);
      const client = await authenticateClient(request, call);
      const { clientId, credentialId } = client;
      proved(credentialId === undefined ? [clientId] : [clientId, credentialId]);
      const requiresKey = client.tokenSettings.isBound;
      const cnf =
        requiresKey || call.header('dpop') !== undefined
          ? await binding.choose(call, { path: '/tokens', callerId: clientId, requiresKey })
          : undefined;
      if (isExchange) return options.exchangeToken(request, client, cnf);
      const { audienceIds, claims, tokenSeconds, defaultScopes } = client.tokenSettings;
      const usesDefault = scope === '' && defaultScopes.length > 0;
      const scopes = usesDefault ? defaultScopes : parseRequestedScopes(scope);
      requireGranted(scopes, client.scopes);
      const granted = scopes.join(' ');
      const audience = await audiences.choose(audienceIds, request.resource);
      const { token, lifetimeSeconds } = await signer.sign(
        {
          sub: clientId,
          client_id: clientId,
          scope: granted,
          principal_type: 'service',
          ...(cnf === undefined ? {} : { cnf }),
        },
        tokenSeconds ?? options.serviceTokenSeconds,
        { audience, claims },
      );
      return answer(token, lifetimeSeconds, granted, cnf);
    }),

    exchangeApiKey: counted(async (request, call, proved) => {
      const { apiKey, scope } = request;
      refuseUnsupported(request);
      const key = await directory.authenticate('ck', apiKey);
      if (key === undefined) throw wrongKey(apiKey);
      proved([key.ownerId, key.id]);
      const cnf =
        call.header('dpop') === undefined
          ? undefined
          : await binding.choose(call, {
              path: '/tokens/api-key',
              callerId: key.id,
              requiresKey: false,
            });
      const scopes = scope === '' ? [...key.scopes] : parseRequestedScopes(scope);
      requireGranted(scopes, key.scopes);
      const granted = scopes.join(' ');
      const audience = await audiences.choose(key.tokenSettings.audienceIds, request.resource);
      const { expireTime } = key;
      const notAfter = expireTime === undefined ? undefined : Math.floor(expireTime / 1000);
      const { token, lifetimeSeconds } = await signer.sign(
        {
          sub: key.ownerId,
          client_id: key.id,
          scope: granted,
          principal_type: 'customer',
          accounts: key.accounts,
          ...(cnf === undefined ? {} : { cnf }),
        },
        options.customerTokenSeconds,
        { audience, notAfter },
      );
      if (lifetimeSeconds < 1) throw wrongKey(apiKey);
      return answer(token, lifetimeSeconds, granted, cnf);
    }),
  };
}

/** Refuses a parameter that would limit a token: the caller would take it for a limited one. */
function refuseUnsupported({ audience }: { readonly audience: string }): void {
  if (audience === '') return;
  throw fail('identity.invalid_target', 'audience: is not supported; use resource');
}

function wrongKey(apiKey: string): Failure {
  const target = parseAnyCredentialId(apiKey) ?? '';
  return fail('identity.credential_invalid', 'The API key is wrong.', { target });
}

function answer(
  accessToken: string,
  expiresIn: number,
  scope: string,
  cnf: KeyBinding | undefined,
) {
  return { accessToken, tokenType: tokenTypeOf(cnf), expiresIn, scope };
}
