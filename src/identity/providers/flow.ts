// The state of a sign-in between its start and the return of the browser. A signed cookie binds it
// to the browser, and each state works once.
import { parseCookie, serialize } from 'cookie';
import type { RouteRequest } from '../../api/routes/route.ts';
import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/crypto/ids.ts';
import type { DerivedKeys } from '../../base/crypto/master-key.ts';
import { createSignedValues } from '../../base/crypto/signed-value.ts';

export type SignInFlow = {
  readonly providerId: string;
  readonly state: string;
  readonly nonce: string;
  /** The code verifier of PKCE (RFC 7636). */
  readonly verifier: string;
  /** A path of the console. */
  readonly next: string;
  /** The session that the new one replaces. */
  readonly sessionId?: string;
  /** Set for a step-up: the only user who may return, and their address. */
  readonly stepUp?: { readonly userId: string; readonly email: string };
};

export const flowSeconds = 600;

/**
 * Each provider has a redirect URI of a different path, which shows the provider that sent a code.
 * With a shared URI, a provider could get codes of a provider that sends no `iss` (RFC 9700 §4.4).
 */
export const redirectUriOf = (publicUrl: string, providerId: string) =>
  `${publicUrl}/sessions/oidc/${providerId}/callback`;

export type Flows = {
  create(facts: Pick<SignInFlow, 'providerId' | 'next' | 'sessionId' | 'stepUp'>): SignInFlow;
  /** Undefined without a cookie, after ten minutes, and for a changed cookie. */
  read(request: RouteRequest): SignInFlow | undefined;
  /** Each returns a value of `Set-Cookie`. */
  write(flow: SignInFlow): string;
  clear(): string;
};

export type FlowOptions = {
  readonly publicUrl: string;
  readonly keys: DerivedKeys;
  readonly random: Random;
  readonly now: Clock;
};

const context = 'oidc sign-in';

export function createFlows({ publicUrl, keys, random, now }: FlowOptions): Flows {
  const isSecure = publicUrl.startsWith('https:');
  const name = isSecure ? '__Host-latchkey_oidc' : 'latchkey_oidc';
  const values = createSignedValues<SignInFlow>({ keys, now });
  const secret = () => Buffer.from(random(32)).toString('base64url');
  const headerOf = (value: string, maxAge: number) =>
    serialize(name, value, {
      path: '/',
      maxAge,
      httpOnly: true,
      // The provider sends the browser back from another site.
      sameSite: 'lax',
      secure: isSecure,
    });
  return {
    create: (facts) => ({ ...facts, state: secret(), nonce: secret(), verifier: secret() }),
    read: (request) => values.verify(parseCookie(request.header('cookie') ?? '')[name], context),
    write: (flow) => headerOf(values.sign(flow, flowSeconds, context), flowSeconds),
    clear: () => headerOf('', 0),
  };
}

const pathMax = 400;

/** Returns a path of the console, so that the address cannot lead to another site. */
export function safeConsolePath(text: string | null, publicUrl: string): string {
  const fallback = '/console/';
  if (text === null || text.length > pathMax || !/^\/console(\/[!-[\]-~]*)?$/.test(text)) {
    return fallback;
  }
  const url = URL.canParse(text, publicUrl) ? new URL(text, publicUrl) : undefined;
  if (url?.origin !== new URL(publicUrl).origin) return fallback;
  const path = `${url.pathname}${url.search}${url.hash}`;
  // The encoding can lengthen the path, and the cookie must stay short.
  return path.length <= pathMax && /^\/console(\/|$)/.test(url.pathname) ? path : fallback;
}
