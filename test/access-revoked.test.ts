// Credentials that the database rejects: revoked, expired, or of an owner who is disabled or has
// lost the scope. Tested on both databases, through one transport.
import type { DescMethod } from '@bufbuild/protobuf';
import { expect } from 'vitest';
import { VerificationService } from '../gen/latchkey/identity/v1/verification_pb.js';
import { transact } from '../src/storage/database.ts';
import { describeApp, type Suite } from './support/app-suite.ts';
import {
  acceptedCodes,
  acceptedTypes,
  accessOf,
  bearerMethods,
  type CallerType,
  callBy,
  cookieKinds,
  cookieOf,
  forbidden,
  invalidToken,
  newCookie,
  noCredential,
} from './support/method-access.ts';
import { callMethod, type MethodCall } from './support/method-calls.ts';
import {
  addClient,
  addCustomer,
  addWorkspace,
  changeAsOtherProcess,
} from './support/owner-rows.ts';
import { itHoldsFor } from './support/rule.ts';
import { signToken } from './support/signed-tokens.ts';
import { addSession, addUser } from './support/user-rows.ts';

/** The first method with a scope that callers of the type may call. */
function methodFor(type: CallerType): DescMethod {
  const method = bearerMethods.find(
    (one) => accessOf(one).scope !== '' && acceptedTypes(one).includes(type),
  );
  if (method === undefined) throw new Error(`no method accepts the caller type ${type}`);
  return method;
}

/** Makes a credential for the scope that the database rejects. */
type MakeRejected = (suite: Suite, scope: string) => Promise<string>;

const yesterday = Date.now() - 86_400_000;

const rejected: [string, CallerType, MakeRejected][] = [
  [
    'a revoked workspace key',
    'workspace_key',
    async ({ app }, scope) => (await addWorkspace(app.inside.db, scope, { revoked: true })).text,
  ],
  [
    'an expired workspace key',
    'workspace_key',
    async ({ app }, scope) =>
      (await addWorkspace(app.inside.db, scope, { expireTime: yesterday })).text,
  ],
  [
    'a token of a disabled client',
    'service',
    async ({ app }, scope) => {
      const { ownerId: sub } = await addClient(app.inside.db, scope, { disabled: true });
      return signToken(app, { type: 'service', scope, sub });
    },
  ],
  ...(['disabled', 'revoked', 'expired'] as const).map(
    (state): [string, CallerType, MakeRejected] => [
      `a customer's token whose ${state === 'disabled' ? 'customer' : 'API key'} is ${state}`,
      'customer',
      async ({ app }, scope) => {
        const { ownerId: sub, credentialId: keyId } = await addCustomer(
          app.inside.db,
          scope,
          state === 'expired' ? { expireTime: yesterday } : { [state]: true },
        );
        return signToken(app, { type: 'customer', scope, sub, keyId });
      },
    ],
  ),
  ...(['staff', 'member'] as const).map((type): [string, CallerType, MakeRejected] => [
    `a ${type} token of a disabled user`,
    type,
    async ({ app }, scope) => {
      const user = { kind: type, scopes: scope, disabled: true };
      const { id: sub } = await addUser(app.inside.db, user);
      return signToken(app, { type, scope, sub });
    },
  ]),
  [
    'a token of a session that has ended',
    'staff',
    async ({ app }, scope) => {
      const { db } = app.inside;
      const { id: sub } = await addUser(db, { scopes: scope });
      const token = await signToken(app, { type: 'staff', scope, sub });
      await changeAsOtherProcess(db, (trx) =>
        trx
          .updateTable('sessions')
          .set({ revoke_time: Date.now() })
          .where('user_id', '=', sub)
          .execute(),
      );
      return token;
    },
  ],
  [
    'a revoked token',
    'service',
    async (suite, scope) => {
      const token = await signToken(suite.app, { type: 'service', scope });
      const method = VerificationService.method.revokeToken;
      const revoke = await callBy(suite, 'service', method);
      const { code } = await callMethod(suite.app, 'http', { ...revoke, rest: { token } });
      expect(code).toBe('ok');
      return token;
    },
  ],
];

const rejectedCookies: [string, (suite: Suite) => Promise<string>][] = [
  ['of an expired session', (suite) => newCookie(suite, yesterday)],
  [
    'of a session that has ended',
    async (suite) => {
      const { db } = suite.app.inside;
      const { id } = await addUser(db);
      const { id: session, cookie } = await addSession(db, id);
      await transact(db, (trx) =>
        trx
          .updateTable('sessions')
          .set({ revoke_time: Date.now() })
          .where('id', '=', session)
          .execute(),
      );
      return cookie;
    },
  ],
  [
    'of a disabled user',
    async ({ app: { inside } }) => {
      const { id } = await addUser(inside.db, { disabled: true });
      return (await addSession(inside.db, id)).cookie;
    },
  ],
];

describeApp('a credential that the database rejects', (suite) => {
  const send = (call: MethodCall) => callMethod(suite.app, 'http', call);

  itHoldsFor(rejected, 10)('is a revoked or incomplete one', async (_, type, make) => {
    const method = methodFor(type);
    const { scope } = accessOf(method);
    const good = await callBy(suite, type, method);
    expect(acceptedCodes).toContain((await send(good)).code);
    const authorization = `Bearer ${await make(suite, scope)}`;
    expect(await send({ ...good, authorization })).toEqual({
      code: 'unauthenticated',
      challenge: invalidToken,
    });
  });

  itHoldsFor(['service', 'customer', 'staff'] as const)(
    'covers no scope that its owner no longer has',
    async (type) => {
      const method = methodFor(type);
      const { scope } = accessOf(method);
      const { db } = suite.app.inside;
      const owners = {
        service: async () => ({ sub: (await addClient(db, 'other:read')).ownerId }),
        customer: async () => {
          const { ownerId, credentialId } = await addCustomer(db, 'other:read');
          return { sub: ownerId, keyId: credentialId };
        },
        staff: async () => ({ sub: (await addUser(db, { scopes: 'other:read' })).id }),
      };
      const token = await signToken(suite.app, { type, scope, ...(await owners[type]()) });
      const call = await callBy(suite, type, method);
      expect(await send({ ...call, authorization: `Bearer ${token}` })).toEqual(forbidden(method));
    },
  );

  itHoldsFor(cookieKinds, 2)('is a cookie of a session without a live user', async (_, method) => {
    const expected = { code: 'unauthenticated', challenge: noCredential };
    for (const [name, make] of rejectedCookies) {
      expect(await send({ method, cookie: cookieOf(await make(suite)) }), name).toEqual(expected);
    }
  });
});
