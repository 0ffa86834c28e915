// What users may do by their role in a workspace, and what they may do for themselves: for every
// method through every transport, from the descriptors, as in access.test.ts.
import { type DescMethod, getOption } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { http as httpRule } from '../gen/google/api/annotations_pb.js';
import { PrincipalType } from '../gen/latchkey/options/v1/access_pb.js';
import { readConfig } from '../src/config/config.ts';
import type { MemberRow } from '../src/storage/schema.ts';
import { describeApp, describeTransports } from './support/app-suite.ts';
import { addMember } from './support/member-rows.ts';
import { accessOf, insufficientScope } from './support/method-access.ts';
import { allMethods, callMethod, type Outcome } from './support/method-calls.ts';
import { addWorkspace } from './support/owner-rows.ts';
import { signToken, type TokenFor } from './support/signed-tokens.ts';
import { addUser } from './support/user-rows.ts';

const { MEMBER, STAFF } = PrincipalType;
const { stepUpSeconds } = readConfig({});

/** The areas that a role may read and write; what it may only read stands with `read`. */
const permitted: Record<MemberRow['role'], readonly string[]> = {
  owner: ['documents', 'links', 'api_keys', 'workspaces'],
  admin: ['documents', 'links', 'api_keys', 'workspaces'],
  member: ['documents', 'links', 'workspaces:read'],
};
const roles = Object.keys(permitted) as MemberRow['role'][];

const named = (methods: readonly DescMethod[]) =>
  methods.map((method): [string, DescMethod] => [method.name, method]);
const within = allMethods.filter((method) => {
  const { scope, self, principals } = accessOf(method);
  return scope !== '' && !self && principals.includes(MEMBER);
});
const own = allMethods.filter((method) => accessOf(method).self);
/** Whether the workspace may be named and need not be. */
function isChosen(method: DescMethod): boolean {
  const { value } = getOption(method, httpRule).pattern;
  return accessOf(method).workspace && !String(value).includes('{workspace_id}');
}

const reached = ['ok', 'not_found', 'invalid_argument'];

describe('the methods', () => {
  it('are for the users themselves only where the contract says so', () => {
    expect(own.map(({ name }) => name)).toEqual([
      'GetUser',
      'SetPassword',
      'EnrolTotp',
      'ConfirmTotp',
      'RemoveTotp',
    ]);
  });
});

describeApp('access of users', (suite) => {
  describeTransports((transport) => {
    async function call(method: DescMethod, token: TokenFor, fields = {}): Promise<Outcome> {
      const authorization = `Bearer ${await signToken(suite.app, token)}`;
      return callMethod(suite.app, transport, { method, authorization, fields });
    }

    describe.each(named(within))('%s', (_, method) => {
      const access = accessOf(method);
      const forbidden = { code: 'forbidden', challenge: insufficientScope(access) };
      const [area = ''] = access.scope.split(':');

      it('asks members for a recent sign-in where it says so', async () => {
        const { db } = suite.app.inside;
        const { ownerId } = await addWorkspace(db, '');
        const sub = await addMember(db, ownerId, 'owner');
        const authTime = Math.floor(Date.now() / 1000) - stepUpSeconds - 1;
        const token = { type: 'member', scope: access.scope, sub, authTime } as const;
        const { code } = await call(method, token, { workspace_id: ownerId });
        expect(code === 'step_up_required').toBe(access.recentSignIn);
      });

      it.each(roles)('is open to the role %s where the table says so', async (role) => {
        const { db } = suite.app.inside;
        const { ownerId } = await addWorkspace(db, '');
        const sub = await addMember(db, ownerId, role);
        const token = { type: 'member', scope: access.scope, sub } as const;
        const isPermitted =
          permitted[role].includes(area) || permitted[role].includes(access.scope);
        // A single workspace need not be named, but for a path that it is part of.
        for (const fields of !isChosen(method)
          ? [{ workspace_id: ownerId }]
          : [{}, { workspace_id: ownerId }]) {
          const answer = await call(method, token, fields);
          if (isPermitted) expect(reached, JSON.stringify(fields)).toContain(answer.code);
          else expect(answer, JSON.stringify(fields)).toEqual(forbidden);
        }
      });
    });

    describe.each(named(within.filter((method) => accessOf(method).workspace)))(
      '%s',
      (_, method) => {
        const access = accessOf(method);
        const forbidden = { code: 'forbidden', challenge: insufficientScope(access) };

        it('is closed to the owner of another workspace', async () => {
          const { db } = suite.app.inside;
          const [mine, theirs] = [await addWorkspace(db, ''), await addWorkspace(db, '')];
          const sub = await addMember(db, mine.ownerId, 'owner');
          const token = { type: 'member', scope: access.scope, sub } as const;
          for (const workspace_id of [theirs.ownerId, 'ws_unknown']) {
            expect(await call(method, token, { workspace_id })).toEqual(forbidden);
          }
        });

        it('is closed to an owner who is disabled, or whose token lacks the scope', async () => {
          const { db } = suite.app.inside;
          const { ownerId } = await addWorkspace(db, '');
          const fields = { workspace_id: ownerId };
          const gone = await addUser(db, { kind: 'member', disabled: true });
          await addMember(db, ownerId, 'owner', gone.id);
          const token = { type: 'member', scope: access.scope, sub: gone.id } as const;
          expect(reached).not.toContain((await call(method, token, fields)).code);
          const sub = await addMember(db, ownerId, 'owner');
          expect(await call(method, { type: 'member', scope: 'other:read', sub }, fields)).toEqual(
            forbidden,
          );
        });
      },
    );

    describe.each(named(within.filter((method) => isChosen(method))))('%s', (_, method) => {
      it('asks a member of several workspaces to name one', async () => {
        const { db } = suite.app.inside;
        const [one, two] = [await addWorkspace(db, ''), await addWorkspace(db, '')];
        const sub = await addMember(db, one.ownerId, 'owner');
        await addMember(db, two.ownerId, 'owner', sub);
        const token = { type: 'member', scope: accessOf(method).scope, sub } as const;
        expect((await call(method, token)).code).toBe('invalid_argument');
        expect(reached).toContain((await call(method, token, { workspace_id: two.ownerId })).code);
      });
    });

    describe.each(named(own))('%s', (_, method) => {
      const access = accessOf(method);
      const types = (['staff', 'member'] as const).filter((type) =>
        access.principals.includes(type === 'staff' ? STAFF : MEMBER),
      );

      it.each(types)('is open to %s for themselves, without a scope', async (type) => {
        const { id: sub } = await addUser(suite.app.inside.db, { kind: type });
        const answer = await call(method, { type, scope: '', sub }, { user_id: sub });
        expect(reached).toContain(answer.code);
      });

      it.each(types)('is closed to %s for others, without the scope', async (type) => {
        const other = await addUser(suite.app.inside.db);
        const answer = await call(method, { type, scope: 'users:other' }, { user_id: other.id });
        expect(answer).toEqual({ code: 'forbidden', challenge: insufficientScope(access) });
      });

      it.each(types)('asks %s for a recent sign-in where it says so', async (type) => {
        const authTime = Math.floor(Date.now() / 1000) - stepUpSeconds - 1;
        const { id: sub } = await addUser(suite.app.inside.db, { kind: type });
        const answer = await call(method, { type, scope: '', sub, authTime }, { user_id: sub });
        expect(answer.code === 'step_up_required').toBe(access.recentSignIn);
      });
    });
  });
});
