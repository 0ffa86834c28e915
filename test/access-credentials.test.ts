// Credentials that no method accepts. Each is sent through each transport to one method of every
// kind: the stream type, whether API keys of workspaces are accepted, and the cookie policy.
// Credentials that only the database can reject: access-revoked.test.ts.
import { generateKeyPairSync, sign } from 'node:crypto';
import type { DescMethod } from '@bufbuild/protobuf';
import { expect } from 'vitest';
import { SessionCookie } from '../gen/latchkey/options/v1/access_pb.js';
import { tokenPrincipalTypes } from '../src/api/principal.ts';
import { describeAppOnSqlite, type Suite } from './support/app-suite.ts';
import { unknownCredential } from './support/invalid-credentials.ts';
import { describeTransports } from './support/matrix.ts';
import {
  acceptedCodes,
  acceptedTypes,
  accessOf,
  bearerMethods,
  cookieKinds,
  cookieOf,
  invalidToken,
  newCookie,
  noCredential,
  onePerKind,
} from './support/method-access.ts';
import { callMethod, type MethodCall } from './support/method-calls.ts';
import { itHoldsFor, product } from './support/rule.ts';
import { signToken } from './support/signed-tokens.ts';

const bearerKinds = onePerKind(bearerMethods, (method) => {
  const acceptsKeys = acceptedTypes(method).includes('workspace_key');
  return `${method.methodKind} ${acceptsKeys} ${accessOf(method).sessionCookie}`;
});
const cookieOnly = cookieKinds.filter(
  ([, method]) => accessOf(method).sessionCookie === SessionCookie.REQUIRED,
);

type MakeText = (suite: Suite, method: DescMethod) => string | Promise<string>;

/** A good token of the first type that the method accepts. */
async function goodToken({ app }: Suite, method: DescMethod, lifetimeSeconds = 300) {
  const accepted = acceptedTypes(method);
  const type = tokenPrincipalTypes.find((one) => accepted.includes(one)) ?? 'service';
  return signToken(app, { type, scope: accessOf(method).scope, lifetimeSeconds });
}

const stranger = generateKeyPairSync('ed25519').privateKey;

/** The same header and claims under the signature of another key. */
function resign(token: string): string {
  const input = token.slice(0, token.lastIndexOf('.'));
  return `${input}.${sign(null, Buffer.from(input), stranger).toString('base64url')}`;
}

/** Headers without a bearer credential: the challenge carries no error (RFC 6750 §3.1). */
const noBearer: [string, MakeText][] = [
  ['an empty header', () => ''],
  ['a scheme alone', () => 'Bearer'],
  ['another scheme', () => 'Basic YTpi'],
  ['a token without a scheme', goodToken],
];

const badBearer: [string, MakeText][] = [
  ['two words', () => 'Bearer a b'],
  ['characters outside the token alphabet', () => 'Bearer {}'],
  ['text that is not a token', () => 'Bearer garbage'],
  [
    'a token with a damaged signature',
    async (suite, method) => `Bearer ${(await goodToken(suite, method)).slice(0, -4)}AAAA`,
  ],
  ['an expired token', async (...of) => `Bearer ${await goodToken(...of, 0)}`],
  ['a token signed by another key', async (...of) => `Bearer ${resign(await goodToken(...of))}`],
  ['an unknown workspace key', () => `Bearer ${unknownCredential('wk')}`],
  ["a customer's API key", ({ testApp }) => `Bearer ${testApp.env.CUSTOMER_API_KEY}`],
  ["a client's secret", ({ testApp }) => `Bearer ${testApp.env.CLIENT_SECRET}`],
];

const badHeaders = [
  ...noBearer.map(([name, make]) => [name, make, noCredential] as const),
  ...badBearer.map(([name, make]) => [name, make, invalidToken] as const),
];

type MakeCookie = (suite: Suite) => Promise<Pick<MethodCall, 'cookie' | 'origin'>>;

const badCookies: [string, MakeCookie][] = [
  ['an empty value', async () => ({ cookie: cookieOf('') })],
  ['text that is not a cookie of ours', async () => ({ cookie: cookieOf('garbage') })],
  [
    "another session's secret",
    async (suite) => {
      const [id] = (await newCookie(suite)).split('.');
      const [, secret] = (await newCookie(suite)).split('.');
      return { cookie: cookieOf(`${id}.${secret}`) };
    },
  ],
  [
    'a token',
    async ({ app }) => ({
      cookie: cookieOf(await signToken(app, { type: 'staff', scope: '' })),
    }),
  ],
  [
    'another name',
    async (suite) => ({ cookie: `__Host-latchkey_session=${await newCookie(suite)}` }),
  ],
  [
    'the origin of another site',
    async (suite) => ({
      cookie: cookieOf(await newCookie(suite)),
      origin: 'https://other-site.example',
    }),
  ],
  [
    'an opaque origin',
    async (suite) => ({ cookie: cookieOf(await newCookie(suite)), origin: 'null' }),
  ],
];

describeAppOnSqlite('a bad credential', (suite) => {
  describeTransports(suite, (transport) => {
    const send = (call: MethodCall) => callMethod(suite.app, transport, call);

    itHoldsFor(product(bearerKinds, badHeaders), 60)(
      'is rejected by each kind of method',
      async (_, method, _name, make, challenge) => {
        const authorization = await make(suite, method);
        expect(await send({ method, authorization })).toEqual({
          code: 'unauthenticated',
          challenge,
        });
      },
    );

    itHoldsFor(product(cookieKinds, badCookies), 14)(
      'is rejected as a cookie',
      async (_, method, _name, make) => {
        const expected = { code: 'unauthenticated', challenge: noCredential };
        expect(await send({ method, ...(await make(suite)) })).toEqual(expected);
      },
    );

    itHoldsFor(cookieKinds, 2)(
      'does not include a cookie from the public origin',
      async (_, method) => {
        const cookie = cookieOf(await newCookie(suite));
        const { code } = await send({ method, cookie, origin: suite.app.publicUrl });
        expect(acceptedCodes).toContain(code);
      },
    );

    itHoldsFor(cookieOnly, 1)(
      'is any Authorization header, if the method requires the cookie',
      async (_, method) => {
        const expected = { code: 'unauthenticated', challenge: noCredential };
        for (const type of tokenPrincipalTypes) {
          const token = await signToken(suite.app, { type, scope: '' });
          expect(await send({ method, authorization: `Bearer ${token}` }), type).toEqual(expected);
        }
        const cookie = cookieOf(await newCookie(suite));
        const { code } = await send({ method, cookie, authorization: 'Bearer garbage' });
        expect(acceptedCodes).toContain(code);
      },
    );
  });
});
