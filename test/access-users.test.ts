// The permissions of users: by their role in a workspace, and for themselves. The cases come from
// the descriptors, as in access.test.ts. SQLite tests every method; PostgreSQL tests one method per
// scope, because the database only finds the roles.
import { type DescMethod, getOption } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { http as httpRule } from '../gen/google/api/annotations_pb.js';
import { readConfig } from '../src/base/config/config.ts';
import type { MemberRow } from '../src/storage/schema/schema.ts';
import { describeApp } from './support/app-suite.ts';
import { addMember } from './support/member-rows.ts';
import {
  acceptedCodes,
  acceptedTypes,
  accessOf,
  forbidden,
  namedMethods,
} from './support/method-access.ts';
import { allMethods, callMethod, type Outcome } from './support/method-calls.ts';
import { addWorkspace } from './support/owner-rows.ts';
import { itHoldsFor, product } from './support/rule.ts';
import { signToken, type TokenFor } from './support/signed-tokens.ts';
import { addUser } from './support/user-rows.ts';

const { stepUpSeconds } = readConfig({});

/** The areas that a role may read and write; an area that it may only read stands with `read`. */
const permitted: Record<MemberRow['role'], readonly string[]> = {
  owner: ['documents', 'links', 'api_keys', 'workspaces'],
  admin: ['documents', 'links', 'api_keys', 'workspaces'],
  member: ['documents', 'links', 'workspaces:read'],
};
const roles = Object.keys(permitted) as MemberRow['role'][];

/** The methods that an admin, who has their scope, may not call. */
const ofOwners = new Set(['DeleteWorkspace', 'UndeleteWorkspace']);

function isPermitted(role: MemberRow['role'], method: DescMethod): boolean {
  const { scope } = accessOf(method);
  const [area = ''] = scope.split(':');
  return permitted[role].includes(area) || permitted[role].includes(scope);
}

const byRole = allMethods.filter((method) => {
  const { scope, self } = accessOf(method);
  return scope !== '' && !self && acceptedTypes(method).includes('member');
});
const forSelf = allMethods.filter((method) => accessOf(method).self);

/** Whether the request may name the workspace, and need not. */
function namesWorkspaceOptionally(method: DescMethod): boolean {
  const { value } = getOption(method, httpRule).pattern;
  return accessOf(method).workspace && !String(value).includes('{workspace_id}');
}

function onePerScope(methods: readonly DescMethod[]): DescMethod[] {
  return [...new Map(methods.map((method) => [accessOf(method).scope, method])).values()];
}

describe('the contract', () => {
  it('lets users call these methods for themselves', () => {
    expect(forSelf.map(({ name }) => name)).toEqual([
      'ListUserIdentities',
      'ListPasskeys',
      'StartPasskeyRegistration',
      'CreatePasskey',
      'UpdatePasskey',
      'DeletePasskey',
      'GetUser',
      'UpdateUser',
      'DeleteUser',
      'ExportUser',
      'SetPassword',
      'EnrolTotp',
      'ConfirmTotp',
      'RemoveTotp',
      'CreateRecoveryCodes',
      'JoinWorkspace',
    ]);
  });
});

describeApp('the methods that users may call', (suite) => {
  async function call(method: DescMethod, token: TokenFor, fields = {}): Promise<Outcome> {
    const authorization = `Bearer ${await signToken(suite.app, token)}`;
    return callMethod(suite.app, 'http', { method, authorization, fields });
  }
  const isWhole = suite.dialect === 'sqlite';
  const tested = (methods: readonly DescMethod[]) =>
    namedMethods(isWhole ? methods : onePerScope(methods));
  const inWorkspace = byRole.filter((method) => accessOf(method).workspace);

  itHoldsFor(product(tested(byRole), roles), isWhole ? 90 : 20)(
    'accept a role if the table permits it',
    async (_, method, role) => {
      const { db } = suite.app.inside;
      const { ownerId } = await addWorkspace(db, '');
      const sub = await addMember(db, ownerId, role);
      const token = { type: 'member', scope: accessOf(method).scope, sub } as const;
      // A member of one workspace need not name it, unless the path does.
      const optional = namesWorkspaceOptionally(method) ? [{}] : [];
      for (const fields of [...optional, { workspace_id: ownerId }]) {
        const outcome = await call(method, token, fields);
        if (role === 'admin' && ofOwners.has(method.name)) expect(outcome.code).toBe('forbidden');
        else if (isPermitted(role, method))
          expect(acceptedCodes, JSON.stringify(fields)).toContain(outcome.code);
        else expect(outcome, JSON.stringify(fields)).toEqual(forbidden(method));
      }
    },
  );

  itHoldsFor(tested(inWorkspace), isWhole ? 30 : 7)(
    'reject the owner of another workspace',
    async (_, method) => {
      const { scope } = accessOf(method);
      const { db } = suite.app.inside;
      const [mine, theirs] = [await addWorkspace(db, ''), await addWorkspace(db, '')];
      const sub = await addMember(db, mine.ownerId, 'owner');
      for (const workspace_id of [theirs.ownerId, 'ws_unknown']) {
        const outcome = await call(method, { type: 'member', scope, sub }, { workspace_id });
        expect(outcome).toEqual(forbidden(method));
      }
    },
  );

  itHoldsFor(
    tested(inWorkspace).filter(([, method]) => !isPermitted('member', method)),
    isWhole ? 10 : 3,
  )('reject a user whose role permits it only in another workspace', async (_, method) => {
    const { db } = suite.app.inside;
    const [one, two] = [await addWorkspace(db, ''), await addWorkspace(db, '')];
    const sub = await addMember(db, one.ownerId, 'owner');
    await addMember(db, two.ownerId, 'member', sub);
    const token = { type: 'member', scope: accessOf(method).scope, sub } as const;
    const outcome = await call(method, token, { workspace_id: two.ownerId });
    expect(outcome).toEqual(forbidden(method));
  });

  itHoldsFor(tested(inWorkspace), isWhole ? 30 : 7)(
    'reject a user without a workspace',
    async (_, method) => {
      const { scope } = accessOf(method);
      const { ownerId } = await addWorkspace(suite.app.inside.db, '');
      for (const fields of [{}, { workspace_id: ownerId }]) {
        expect(await call(method, { type: 'member', scope }, fields)).toEqual(forbidden(method));
      }
    },
  );

  itHoldsFor(tested(byRole.filter(namesWorkspaceOptionally)), isWhole ? 5 : 3)(
    'require a member of several workspaces to name one',
    async (_, method) => {
      const { db } = suite.app.inside;
      const [one, two] = [await addWorkspace(db, ''), await addWorkspace(db, '')];
      const sub = await addMember(db, one.ownerId, 'owner');
      await addMember(db, two.ownerId, 'owner', sub);
      const token = { type: 'member', scope: accessOf(method).scope, sub } as const;
      expect((await call(method, token)).code).toBe('invalid_argument');
      const named = await call(method, token, { workspace_id: two.ownerId });
      expect(acceptedCodes).toContain(named.code);
    },
  );

  const ownTypes = (method: DescMethod) =>
    (['staff', 'member'] as const).filter((type) => acceptedTypes(method).includes(type));
  const bySelf = product(tested(forSelf), ([, method]) => ownTypes(method));

  itHoldsFor(bySelf, isWhole ? 10 : 2)(
    'accept users for themselves, without a scope',
    async (_, method, type) => {
      const { id: sub } = await addUser(suite.app.inside.db, { kind: type });
      const outcome = await call(method, { type, scope: '', sub }, { user_id: sub });
      expect(acceptedCodes).toContain(outcome.code);
    },
  );

  itHoldsFor(bySelf, isWhole ? 10 : 2)(
    'reject users for another user, without the scope',
    async (_, method, type) => {
      const other = await addUser(suite.app.inside.db);
      const outcome = await call(method, { type, scope: 'users:other' }, { user_id: other.id });
      expect(outcome).toEqual(forbidden(method));
    },
  );

  itHoldsFor(bySelf, isWhole ? 10 : 2)(
    'require a recent sign-in of users if the contract says so',
    async (_, method, type) => {
      const authTime = Math.floor(Date.now() / 1000) - stepUpSeconds - 1;
      const { id: sub } = await addUser(suite.app.inside.db, { kind: type });
      const outcome = await call(method, { type, scope: '', sub, authTime }, { user_id: sub });
      expect(outcome.code === 'step_up_required').toBe(accessOf(method).recentSignIn);
    },
  );
});
