// The parts of identity providers that the rest of the service uses.
import type { ServiceImpl } from '@connectrpc/connect';
import type { IdentityProviderService } from '../../../gen/latchkey/identity/v1/provider_pb.js';
import type { HttpRoute } from '../../api/routes/route.ts';
import { invalid } from '../../base/errors/errors.ts';
import type { EgressFetch } from '../../base/net/egress-fetch.ts';
import type { ProviderSignIns } from '../sessions/provider-sign-ins.ts';
import { createFindUser } from './accounts.ts';
import { createFlows } from './flow.ts';
import { createRelyingParty } from './relying-party.ts';
import { providerRoutes } from './routes.ts';
import { createIdentityProviderService, type ProviderOptions } from './service.ts';
import { createProviderSignIn, type ProviderSignInOptions } from './sign-in.ts';

export type ProvidersOptions = Omit<ProviderOptions, 'endSessions' | 'requireIssuer'> &
  Pick<ProviderSignInOptions, 'useOnce' | 'verifyLogoutToken' | 'securityNotices'> & {
    readonly sessions: ProviderSignIns;
    readonly egressFetch: EgressFetch;
    /** Whether the service calls the URL, by its form alone. */
    readonly isEgressUrl: (url: string) => boolean;
    readonly stepUpSeconds: number;
  };

export type Providers = {
  readonly service: ServiceImpl<typeof IdentityProviderService>;
  readonly routes: readonly HttpRoute[];
};

export function createProviders(options: ProvidersOptions): Providers {
  const { masterKey, sessions, publicUrl, random, now } = options;
  const flows = createFlows({ publicUrl, keys: masterKey.derive('oidc sign-in'), random, now });
  const signIn = createProviderSignIn({
    ...options,
    relyingParty: createRelyingParty(options),
    flows,
    findUser: createFindUser(options),
  });
  return {
    service: createIdentityProviderService({
      ...options,
      endSessions: sessions.end,
      requireIssuer(issuer) {
        const isIssuer = /[?#]/.test(issuer) === false && options.isEgressUrl(issuer);
        if (!isIssuer) throw invalid('issuer', 'must be an https URL without query and fragment');
      },
    }),
    routes: providerRoutes(signIn, flows),
  };
}
