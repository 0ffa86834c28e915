// Who may call each method, on every transport. The cases are generated from the descriptors, so a
// new method is covered without a new case.
import { generateKeyPairSync, sign } from 'node:crypto';
import type { DescMethod } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { type Access, PrincipalType, SessionCookie } from '../gen/latchkey/options/v1/access_pb.js';
import { principalTypes, tokenPrincipalTypes } from '../src/api/principal.ts';
import { readConfig } from '../src/config/config.ts';
import { describeApp, describeTransports, type Suite } from './support/app-suite.ts';
import { unknownCredential } from './support/invalid-credentials.ts';
import { subjectOf } from './support/member-rows.ts';
import { accessOf, insufficientScope } from './support/method-access.ts';
import { allMethods, callMethod, type Outcome } from './support/method-calls.ts';
import { addWorkspace } from './support/owner-rows.ts';
import { signToken } from './support/signed-tokens.ts';

const { stepUpSeconds } = readConfig({});

const byCookie = allMethods.filter(
  (method) => accessOf(method).sessionCookie === SessionCookie.REQUIRED,
);
const guarded = allMethods.filter(
  (method) => !accessOf(method).public && !byCookie.includes(method),
);
const open = allMethods.filter((method) => accessOf(method).public);
const named = (methods: readonly DescMethod[]) =>
  methods.map((method): [string, DescMethod] => [method.name, method]);

/** What stands in for a credential and is none, and whether it counts as one that was sent. */
const noCredentials: [string, (suite: Suite, access: Access) => Promise<Sent> | Sent][] = [
  ['no credential', () => ({ challenge: 'Bearer realm="latchkey"' })],
  ['an empty header', () => ({ header: '', challenge: 'Bearer realm="latchkey"' })],
  ['a scheme alone', () => ({ header: 'Bearer', challenge: 'Bearer realm="latchkey"' })],
  ['another scheme', () => ({ header: 'Basic YTpi', challenge: 'Bearer realm="latchkey"' })],
  [
    'a token without a scheme',
    async (suite, access) => {
      const token = await signToken(suite.app, { type: 'service', scope: access.scope });
      return { header: token, challenge: 'Bearer realm="latchkey"' };
    },
  ],
  ['two words', () => ({ header: 'Bearer a b', challenge: invalidToken })],
  ['characters that no token has', () => ({ header: 'Bearer {}', challenge: invalidToken })],
  ['garbage', () => ({ header: 'Bearer garbage', challenge: invalidToken })],
  [
    'a garbled token',
    async (suite, access) => {
      const token = await signToken(suite.app, { type: 'service', scope: access.scope });
      return { header: `Bearer ${token.slice(0, -4)}AAAA`, challenge: invalidToken };
    },
  ],
  [
    'an expired token',
    async (suite, access) => {
      const own = { type: kindOf(access), scope: access.scope, lifetimeSeconds: 0 };
      return { header: `Bearer ${await signToken(suite.app, own)}`, challenge: invalidToken };
    },
  ],
  [
    'a token of another key',
    async (suite, access) => {
      const token = await signToken(suite.app, { type: kindOf(access), scope: access.scope });
      return { header: `Bearer ${resign(token)}`, challenge: invalidToken };
    },
  ],
  [
    'an unknown key',
    () => {
      return { header: `Bearer ${unknownCredential('wk')}`, challenge: invalidToken };
    },
  ],
  [
    "a customer's key",
    (suite) => {
      return { header: `Bearer ${suite.testApp.env.CUSTOMER_API_KEY}`, challenge: invalidToken };
    },
  ],
  [
    "a client's secret",
    (suite) => {
      return { header: `Bearer ${suite.testApp.env.CLIENT_SECRET}`, challenge: invalidToken };
    },
  ],
];

type Sent = { readonly header?: string; readonly challenge: string };

const invalidToken = 'Bearer error="invalid_token"';
const stepUp = 'error="insufficient_user_authentication"';
const stepUpChallenge = `Bearer ${stepUp}, max_age=${stepUpSeconds}`;

describe('the methods', () => {
  it('are public only where the contract says so', () => {
    expect(open.map(({ name }) => name)).toEqual([
      'IssueToken',
      'ExchangeApiKey',
      'GetJwks',
      'SignIn',
    ]);
  });
});

describe('a recent sign-in', () => {
  it('is required where credentials, users, roles or signing keys change', () => {
    const asking = allMethods.filter((method) => accessOf(method).recentSignIn);
    expect(asking.map(({ parent, name }) => `${parent.name}.${name}`).sort()).toEqual([
      'ApiKeyService.CreateApiKey',
      'ApiKeyService.RevokeApiKey',
      'ApiKeyService.RotateApiKey',
      'ClientService.CreateClient',
      'ClientService.CreateClientSecret',
      'ClientService.RevokeClientSecret',
      'ClientService.RotateClientSecret',
      'CustomerService.CreateApiKey',
      'CustomerService.RevokeApiKey',
      'CustomerService.RotateApiKey',
      'SigningKeyService.ActivateSigningKey',
      'SigningKeyService.CreateSigningKey',
      'SigningKeyService.RevokeSigningKey',
      'UserService.ConfirmTotp',
      'UserService.CreateUser',
      'UserService.DisableUser',
      'UserService.EnableUser',
      'UserService.EnrolTotp',
      'UserService.RemoveTotp',
      'UserService.SetPassword',
      'UserService.UpdateUser',
      'WorkspaceService.PutMember',
      'WorkspaceService.RemoveMember',
    ]);
  });
});

describeApp('access', (suite) => {
  describeTransports((transport) => {
    const call = (method: DescMethod, authorization?: string, fields = {}): Promise<Outcome> =>
      callMethod(suite.app, transport, { method, authorization, fields });

    describe.each(named(open))('%s, which is public,', (_, method) => {
      it.each([undefined, 'Bearer garbage', 'nonsense'])(
        'answers whoever calls, with the header %s',
        async (header) => {
          const { code, challenge } = await call(method, header);
          expect(['ok', 'invalid_argument']).toContain(code);
          expect(challenge).toBeUndefined();
        },
      );
    });

    describe.each(named(byCookie))('%s, which takes the cookie alone,', (_, method) => {
      it.each(noCredentials)('is closed to %s', async (_, make) => {
        const { header } = await make(suite, accessOf(method));
        const expected = { code: 'unauthenticated', challenge: 'Bearer realm="latchkey"' };
        expect(await call(method, header)).toEqual(expected);
      });

      it.each(tokenPrincipalTypes)("is closed to a %s's token", async (type) => {
        const token = await signToken(suite.app, { type, scope: '' });
        const expected = { code: 'unauthenticated', challenge: 'Bearer realm="latchkey"' };
        expect(await call(method, `Bearer ${token}`)).toEqual(expected);
      });
    });

    describe.each(named(guarded))('%s', (_, method) => {
      const access = accessOf(method);
      const insufficient = insufficientScope(access);
      // What users may call for themselves is called by them.
      const own = (authorization: string) =>
        access.self ? { user_id: subjectOf({ authorization }).sub } : {};
      const takes = (type: keyof typeof principalTypes) =>
        access.principals.includes(principalTypes[type]);

      it.each(noCredentials)('is closed to %s', async (_, make) => {
        const { header, challenge } = await make(suite, access);
        expect(await call(method, header)).toEqual({ code: 'unauthenticated', challenge });
      });

      // What members may do beyond themselves is said by their roles: see access-users.test.ts.
      const callers = tokenPrincipalTypes.filter(
        (type) => type !== 'member' || access.self || access.workspace || !takes(type),
      );
      it.each(callers)("is open to a %s's token where it says so", async (type) => {
        const token = await signToken(suite.app, { type, scope: access.scope });
        const { code, challenge } = await call(method, `Bearer ${token}`, own(`Bearer ${token}`));
        // A member of no workspace has no role.
        if (!takes(type) || (type === 'member' && access.workspace)) {
          expect({ code, challenge }).toEqual({ code: 'forbidden', challenge: insufficient });
        } else {
          expect(challenge).toBeUndefined();
          expect(['ok', 'not_found', 'invalid_argument']).toContain(code);
        }
      });

      it.each(access.scope === '' ? [] : tokenPrincipalTypes.filter(takes))(
        "is closed to a %s's token without its scope",
        async (type) => {
          const other = access.scope.endsWith(':read')
            ? access.scope.replace(/read$/, 'write')
            : access.scope.replace(/write$/, 'read');
          for (const scope of [other, `x${access.scope}`, `${access.scope}x`, '']) {
            const token = await signToken(suite.app, { type, scope });
            expect(await call(method, `Bearer ${token}`), scope).toEqual({
              code: 'forbidden',
              challenge: insufficient,
            });
          }
        },
      );

      it("is open to a workspace's key with its scope where it says so", async () => {
        const { db } = suite.app.inside;
        const good = await addWorkspace(db, access.scope);
        const answer = await call(method, `Bearer ${good.text}`);
        if (!takes('workspace_key')) {
          const expected = { code: 'unauthenticated', challenge: invalidToken };
          expect(answer).toEqual(expected);
          return;
        }
        expect(answer.challenge).toBeUndefined();
        expect(['ok', 'not_found', 'invalid_argument']).toContain(answer.code);
        const scopeless = await addWorkspace(db, 'other:read');
        expect(await call(method, `Bearer ${scopeless.text}`)).toEqual({
          code: 'forbidden',
          challenge: insufficient,
        });
        for (const state of [{ revoked: true }, { expireTime: Date.now() - 1 }]) {
          const dead = await addWorkspace(db, access.scope, state);
          expect(await call(method, `Bearer ${dead.text}`)).toEqual({
            code: 'unauthenticated',
            challenge: invalidToken,
          });
        }
      });

      it('asks staff for a recent sign-in where it says so', async () => {
        const seconds = Math.floor(Date.now() / 1000);
        for (const [age, isRecent] of [
          [stepUpSeconds - 30, true],
          [stepUpSeconds + 1, false],
          [86_400, false],
        ] as const) {
          const token = await signToken(suite.app, {
            type: 'staff',
            scope: access.scope,
            authTime: seconds - age,
          });
          const answer = await call(method, `Bearer ${token}`, own(`Bearer ${token}`));
          if (access.recentSignIn && takes('staff') && !isRecent) {
            expect(answer).toEqual({
              code: 'step_up_required',
              challenge: stepUpChallenge,
            });
          } else {
            expect(answer.code).not.toBe('step_up_required');
          }
        }
      });

      if (!access.workspace || !takes('workspace_key')) return;

      it("is closed to a key that names another key's workspace", async () => {
        const ours = await addWorkspace(suite.app.inside.db, access.scope);
        const other = await addWorkspace(suite.app.inside.db, access.scope);
        const fields = { workspace_id: other.ownerId };
        expect(await call(method, `Bearer ${ours.text}`, fields)).toEqual({
          code: 'forbidden',
          challenge: insufficient,
        });
      });
    });
  });
});

/** A kind of token that the method takes. */
function kindOf({ principals }: Access) {
  const kinds = tokenPrincipalTypes.filter((type) => principals.includes(principalTypes[type]));
  const [kind = 'service'] = kinds;
  if (principals.includes(PrincipalType.UNSPECIFIED)) throw new Error('anybody may call');
  return kind;
}

const stranger = generateKeyPairSync('ed25519').privateKey;

/** The same header and claims under the signature of another key. */
function resign(token: string): string {
  const input = token.slice(0, token.lastIndexOf('.'));
  return `${input}.${sign(null, Buffer.from(input), stranger).toString('base64url')}`;
}
