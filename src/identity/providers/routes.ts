// The paths by which a browser signs in with a provider, and the one at which the provider reports
// a logout.
import type { HttpRoute, RouteReply } from '../../api/routes/route.ts';
import type { RouteDoc } from '../../api/routes/route-doc.ts';
import { type Failure, fail } from '../../base/errors/errors.ts';
import type { Flows } from './flow.ts';
import { type SignInProblem, SignInRefusal } from './problems.ts';
import type { ProviderSignIn } from './sign-in.ts';

export function providerRoutes(signIn: ProviderSignIn, flows: Pick<Flows, 'clear'>): HttpRoute[] {
  return [
    {
      method: 'GET',
      path: '/sessions/oidc/{provider_id}',
      name: 'start of a company sign-in',
      doc: startDoc,
      async handle(request) {
        try {
          const { location, cookie } = await signIn.start(request);
          return redirect(302, location, [cookie]);
        } catch (error) {
          if (!(error instanceof SignInRefusal)) throw error;
          const isStepUp = request.query.get('step_up') === 'true';
          return refusal(error.problem, error, isStepUp);
        }
      },
    },
    {
      method: 'GET',
      path: '/sessions/oidc/{provider_id}/callback',
      name: 'return of a company sign-in',
      doc: callbackDoc,
      async handle(request) {
        // A program that inspects the address must not use up the code.
        if (request.isHead) return redirect(303, '/console/', []);
        const { next, isStepUp, outcome } = await signIn.finish(request);
        if ('problem' in outcome) {
          return refusal(outcome.problem, outcome.error, isStepUp, [flows.clear()]);
        }
        const query = new URLSearchParams({ next, ...(isStepUp && { step_up: 'true' }) });
        const location = `/console/signed-in?${query}`;
        return redirect(303, location, [flows.clear(), outcome.sessionCookie]);
      },
    },
    {
      method: 'POST',
      path: '/sessions/oidc/{provider_id}/logout',
      name: 'logout by an identity provider',
      doc: logoutDoc,
      async handle(request) {
        await signIn.logOut(request);
        return { status: 200, headers: { 'cache-control': 'no-store' }, body: undefined };
      },
    },
  ];
}

function redirect(
  status: number,
  location: string,
  cookies: string[],
  failure?: Failure,
): RouteReply {
  const headers = {
    location,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    ...(cookies.length === 0 ? {} : { 'set-cookie': cookies }),
  };
  return { status, headers, body: undefined, ...(failure && { failure }) };
}

/** Leads to the console, which explains the problem. The log has the reason. */
function refusal(
  problem: SignInProblem,
  cause: unknown,
  isStepUp: boolean,
  cookies: string[] = [],
): RouteReply {
  const path = isStepUp ? '/console/signed-in' : '/console/sign-in';
  const code = problem === 'provider_unavailable' ? 'unavailable' : 'identity.credential_invalid';
  const failure = fail(code, `The sign-in was refused: ${problem}.`, { cause });
  return redirect(303, `${path}?problem=${problem}`, cookies, failure);
}

const cookie = { 'Set-Cookie': 'The cookie that binds the sign-in to the browser.' };

const startDoc: RouteDoc = {
  id: 'startCompanySignIn',
  tag: 'Company sign-in',
  summary: 'Start a sign-in with an identity provider',
  description:
    'Leads the browser to the provider (OpenID Connect Core 1.0 §3.1.2.1), with PKCE, `state` ' +
    'and `nonce`. If the provider cannot be used, leads to the sign-in page with a `problem`.',
  path: { provider_id: 'The id of the identity provider.' },
  query: {
    next: {
      description: 'The path of the console to show after the sign-in: at most 400 characters.',
    },
    step_up: {
      description:
        '`true` repeats the sign-in of the session of the cookie, for a sensitive action. The ' +
        'provider must have authenticated the user within the last minute.',
    },
  },
  responses: {
    302: {
      description: 'The provider.',
      headers: { ...cookie, Location: 'The authorization endpoint of the provider.' },
    },
    303: { description: 'The sign-in was refused.', headers: { Location: 'The sign-in page.' } },
  },
  errors: ['invalid_argument', 'unavailable'],
};

const callbackDoc: RouteDoc = {
  id: 'finishCompanySignIn',
  tag: 'Company sign-in',
  summary: 'Finish a sign-in with an identity provider',
  description:
    'The redirect URI of a provider. Exchanges the code, checks the ID token, links or ' +
    'creates the user, starts a session and sets its cookie. Leads to the console, with a ' +
    '`problem` if the sign-in was refused. Each `state` works once, within ten minutes, in the ' +
    'browser that started the sign-in.',
  path: { provider_id: 'The id of the identity provider.' },
  query: {
    code: { description: 'The authorization code.' },
    state: { description: 'The state of the sign-in.' },
    iss: { description: 'The issuer of the code (RFC 9207).' },
    error: { description: 'The error of the provider, instead of a code.' },
  },
  responses: {
    303: {
      description: 'The console.',
      headers: {
        'Set-Cookie': 'The session cookie.',
        Location: 'The path of the console.',
      },
    },
  },
  errors: ['invalid_argument', 'unavailable'],
};

const logoutDoc: RouteDoc = {
  id: 'logOutByProvider',
  tag: 'Company sign-in',
  summary: 'Report a logout at an identity provider',
  description:
    'The back-channel logout URI of a provider (OpenID Connect Back-Channel Logout 1.0). Ends ' +
    'the sessions that the logout token names by `sid` or `sub`: at once in the same process, ' +
    'and within a second in every other. Each token works once.',
  path: { provider_id: 'The id of the identity provider.' },
  form: { logout_token: { description: 'The logout token.', isRequired: true } },
  responses: { 200: { description: 'The sessions have ended.' } },
  errors: [
    'invalid_argument',
    'forbidden',
    'not_found',
    'payload_too_large',
    'unsupported_media_type',
    'unavailable',
  ],
};
