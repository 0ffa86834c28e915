// Signs in with identity providers, as a browser does.
import { parseSetCookie } from 'cookie';
import { IdentityProviderService } from '../../gen/latchkey/identity/v1/provider_pb.js';
import { managementScopes } from '../../src/api/access/scopes.ts';
import type { App } from '../../src/boot/app.ts';
import { managerCredential, messageOf } from './manager-calls.ts';
import type { ScriptedProvider } from './scripted-provider.ts';
import type { Transport } from './transports.ts';

/** Loopback providers over http are accepted. */
export const loopbackEgress = { egressNetworks: ['127.0.0.0/8'] };

export const everyScope = managementScopes.join(' ');

export type ProviderFields = {
  readonly name?: string;
  readonly allowedDomains?: readonly string[];
  readonly createUsers?: boolean;
  readonly enabled?: boolean;
  readonly roleMappings?: readonly {
    readonly group: string;
    readonly scopes?: readonly string[];
    readonly workspaceId?: string;
    readonly role?: number;
  }[];
};

/** The registration of the service at a provider. */
export type Registered = Pick<ScriptedProvider, 'issuer' | 'clientId' | 'clientSecret'>;

/** Creates the provider and returns its id. */
export async function registerProvider(
  place: { readonly app: App; transport(name: 'http'): Transport },
  { issuer, clientId, clientSecret }: Registered,
  fields: ProviderFields = {},
): Promise<string> {
  const request = {
    ...{ name: 'Acme', issuer, clientId, clientSecret },
    allowedDomains: ['example.com'],
    createUsers: true,
    ...fields,
  };
  const { createIdentityProvider } = IdentityProviderService.method;
  const manager = await managerCredential(place.app, everyScope);
  // The fields are lists of plain values.
  const answer = await place
    .transport('http')
    .call(createIdentityProvider, request as Parameters<Transport['call']>[1], manager);
  return (messageOf(answer) as { provider?: { id: string } }).provider?.id ?? '';
}

export type Returned = {
  readonly status: number;
  readonly location: URL;
  /** The reason of a refusal; empty after a sign-in. */
  readonly problem: string;
};

/** Keeps cookies, and follows no redirect. */
export class SignInBrowser {
  readonly #app: App;
  readonly cookies = new Map<string, string>();
  /** The path of the redirect URI with which the last sign-in started. */
  returnPath = '/sessions/oidc/idp_0000000000000000000000/callback';

  constructor(app: App) {
    this.#app = app;
  }

  async get(path: string): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(`${this.#app.publicUrl}${path}`, {
      redirect: 'manual',
      headers: { cookie },
    });
    for (const header of response.headers.getSetCookie()) {
      const { name, value = '', maxAge } = parseSetCookie(header);
      if (maxAge === 0) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }

  async #redirect(path: string): Promise<Returned> {
    const { status, headers } = await this.get(path);
    const location = new URL(headers.get('location') ?? '', this.#app.publicUrl);
    return { status, location, problem: location.searchParams.get('problem') ?? '' };
  }

  /** Returns where the browser was sent: to the provider, or to a problem. */
  async start(providerId: string, query: Readonly<Record<string, string>> = {}): Promise<Returned> {
    const path = `/sessions/oidc/${providerId}?${new URLSearchParams(query)}`;
    const returned = await this.#redirect(path);
    const redirectUri = returned.location.searchParams.get('redirect_uri');
    if (redirectUri !== null) this.returnPath = new URL(redirectUri).pathname;
    return returned;
  }

  callback(query: Readonly<Record<string, string>> | URLSearchParams): Promise<Returned> {
    return this.#redirect(`${this.returnPath}?${new URLSearchParams(query)}`);
  }

  /** Signs in as the account with these claims. */
  async signIn(
    provider: ScriptedProvider,
    providerId: string,
    claims: Readonly<Record<string, unknown>>,
    query: Readonly<Record<string, string>> = {},
  ): Promise<Returned> {
    const started = await this.start(providerId, query);
    if (started.problem !== '') return started;
    const { location } = started;
    const { nonce, state = '' } = Object.fromEntries(location.searchParams);
    provider.script.claims = { nonce, ...claims };
    return this.callback({ code: 'code', state, iss: provider.issuer });
  }

  get session(): string | undefined {
    return this.cookies.get('latchkey_session');
  }
}
