// Two workspaces never see each other's data. Callers of every type call every method of the
// sharing module, read from its descriptor, with the ids of another workspace.
import { randomBytes } from 'node:crypto';
import { type DescMethod, getOption } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import { beforeAll, describe, expect, it } from 'vitest';
import { http as httpRule } from '../../gen/google/api/annotations_pb.js';
import { principalTypes } from '../../src/api/principal.ts';
import { newId } from '../../src/base/crypto/ids.ts';
import { type Role, roleScopes } from '../../src/sharing/workspaces/roles.ts';
import { describeApp } from '../support/app-suite.ts';
import {
  type FilledWorkspace,
  idsFor,
  makeFilledWorkspace,
  requiredFields,
} from '../support/filled-workspace.ts';
import { idFields } from '../support/id-fields.ts';
import type { TransportName } from '../support/matrix.ts';
import { addMember, memberScope } from '../support/member-rows.ts';
import { accessOf } from '../support/method-access.ts';
import { allMethods, callMethodWithText } from '../support/method-calls.ts';
import { findFailures, itHoldsFor, product } from '../support/rule.ts';
import { blobDirOf, filesUnder } from '../support/sharing-api.ts';
import { signToken } from '../support/signed-tokens.ts';
import { transportNames } from '../support/transports.ts';

/** The methods of InvitationService have no field for the id of an invitation: the token has it. */
const byToken = allMethods.filter(({ parent }) => parent.name === 'InvitationService');
const sharing = allMethods.filter(
  (method) => method.parent.file.proto.package.includes('sharing') && !byToken.includes(method),
);

/** An id of each kind that does not exist anywhere. */
const unknown = {
  workspace_id: newId('ws', randomBytes),
  document_id: newId('doc', randomBytes),
  folder_id: newId('fld', randomBytes),
  parent_id: newId('fld', randomBytes),
  link_id: newId('lnk', randomBytes),
  ids: newId('lnk', randomBytes),
  key_id: newId('key', randomBytes),
  user_id: newId('usr', randomBytes),
  invitation_id: newId('inv', randomBytes),
  domain_id: newId('dom', randomBytes),
  agreement_id: newId('agr', randomBytes),
};
type IdField = keyof typeof unknown;

const password = 'a new and much longer password';

/** Users belong to no workspace: any workspace may add a user whose id it knows. */
const ofEverybody = new Set(['PutMember.user_id']);

/** The method once per field that holds an id of a resource in a workspace. */
const about = sharing.flatMap((method) =>
  idFields(method)
    .filter((field): field is IdField => field in unknown && field !== 'workspace_id')
    .filter((field) => !ofEverybody.has(`${method.name}.${field}`))
    .map((field): [string, string, DescMethod] => [method.name, field, method]),
);
const byName = (methods: readonly DescMethod[]) =>
  methods.map((method): [string, DescMethod] => [method.name, method]);
const within = byName(sharing.filter((method) => accessOf(method).workspace));
const paged = byName(sharing.filter((method) => idFields(method).includes('page_token')));

/** A list filtered by an unknown id is empty. */
function narrows(method: DescMethod, field: string): boolean {
  const { value } = getOption(method, httpRule).pattern;
  return method.name.startsWith('List') && !String(value).includes(`{${field}}`);
}

describe('the methods of the sharing module', () => {
  it('accept only ids whose isolation is tested here', () => {
    const known = [...Object.keys(unknown), 'page_token'];
    for (const method of sharing) {
      const others = idFields(method).filter((field) => !known.includes(field));
      expect(others, `${method.name}: give it a value in test/support/filled-workspace.ts`).toEqual(
        [],
      );
    }
    expect(about.length).toBeGreaterThanOrEqual(13);
  });
});

const roles = Object.keys(roleScopes) as Role[];
const callers = ['key', ...roles, 'member of both', 'staff', 'service'] as const;
type Caller = (typeof callers)[number];
const oneOfEachType: ReadonlySet<Caller> = new Set(['key', 'owner', 'service']);
const bound: readonly Caller[] = ['key', ...roles];

describeApp('two workspaces', (suite) => {
  let ours: FilledWorkspace;
  let theirs: FilledWorkspace;
  let rowsOfTheirs: readonly string[];
  const users = new Map<Caller, string>();
  beforeAll(async () => {
    [ours, theirs] = [
      await makeFilledWorkspace(suite.testApp),
      await makeFilledWorkspace(suite.testApp),
    ];
    const { db } = suite.app.inside;
    for (const role of roles) users.set(role, await addMember(db, ours.ids.workspace_id, role));
    const both = await addMember(db, ours.ids.workspace_id, 'owner');
    users.set('member of both', await addMember(db, theirs.ids.workspace_id, 'owner', both));
    rowsOfTheirs = await theirs.rows();
  });

  /** The credential with which that caller may call the method in its own workspace. */
  async function credentialOf(caller: Caller, method: DescMethod): Promise<string> {
    const { scope } = accessOf(method);
    if (caller === 'key') return ours.key.authorization;
    const sub = users.get(caller);
    const type = caller === 'staff' || caller === 'service' ? caller : 'member';
    const token = { type, scope, ...(sub === undefined ? {} : { sub }) } as const;
    return `Bearer ${await signToken(suite.app, token)}`;
  }
  function mayCall(caller: Caller, method: DescMethod): boolean {
    const { principals, scope } = accessOf(method);
    const role = roles.find((one) => one === caller);
    const isUser = caller !== 'key' && caller !== 'staff' && caller !== 'service';
    const type = isUser ? 'member' : caller === 'key' ? 'workspace_key' : caller;
    return (
      principals.includes(principalTypes[type]) &&
      (!role || scope === '' || roleScopes[role].has(scope))
    );
  }
  /**
   * All callers through HTTP on SQLite. Neither the wire format nor the SQL depends on the caller's
   * role, so the other transports and PostgreSQL get one caller of each type.
   */
  function callersFor<C extends Caller>(transport: TransportName, all: readonly C[]): readonly C[] {
    if (suite.dialect === 'sqlite' && transport === 'http') return all;
    return all.filter((caller) => oneOfEachType.has(caller));
  }
  const isWhole = suite.dialect === 'sqlite';
  const transports = isWhole ? transportNames : (['http'] as const);
  const files = () => filesUnder(blobDirOf(suite.testApp));
  const expectNothingOf = (text: string) => {
    for (const mark of theirs.marks) expect(text).not.toContain(mark);
  };

  /**
   * Checks one method with each caller through each transport, and then that the other workspace is
   * as it was at first. Reading it takes longer than the calls.
   */
  async function expectOfAll<C extends Caller | 'anonymous'>(
    callersOf: (transport: TransportName) => readonly C[],
    check: (transport: TransportName, who: C) => Promise<void>,
  ): Promise<void> {
    const calls = transports.flatMap((transport) =>
      callersOf(transport).map((who): [TransportName, C] => [transport, who]),
    );
    expect(calls.length).toBeGreaterThanOrEqual(2);
    const before = await files();
    expect(await findFailures(calls, check)).toEqual([]);
    expect([await files(), await theirs.rows()]).toEqual([before, rowsOfTheirs]);
  }

  const ofMembers = about.filter(([, , method]) => mayCall('member of both', method));
  // One method for each kind of id on PostgreSQL.
  const ownIds = isWhole ? ofMembers : new Map(ofMembers.map((one) => [one[1], one])).values();
  itHoldsFor([...ownIds], isWhole ? 13 : 8)(
    'answer calls with their own ids',
    async (_, field, method) => {
      const fresh = await makeFilledWorkspace(suite.testApp);
      const { user_id: sub } = fresh.ids;
      // The workspace keeps an owner when this owner leaves.
      await addMember(suite.app.inside.db, fresh.ids.workspace_id, 'owner');
      const token = { type: 'member', scope: memberScope, sub } as const;
      const authorization = `Bearer ${await signToken(suite.app, token)}`;
      const rest = requiredFields[method.name] ?? {};
      const fields = { ...idsFor(method.name, fresh.ids, field), page_token: '' };
      const answer = await callMethodWithText(suite.app, 'http', {
        method,
        authorization,
        fields,
        rest,
      });
      expect(answer).toMatchObject({ code: 'ok' });
    },
  );

  itHoldsFor(about, 13)(
    'answer every caller with an id of the other workspace as with an unknown id',
    (_, text, method) => {
      const field = text as IdField;
      const rest = requiredFields[method.name] ?? {};
      const own = { ...ours.ids, page_token: '' };
      const code = narrows(method, field) ? 'ok' : 'not_found';
      return expectOfAll(
        (transport) => callersFor(transport, callers),
        async (transport, who) => {
          const authorization = await credentialOf(who, method);
          const call = (id: string) => {
            const fields = { ...idsFor(method.name, own, field), [field]: id };
            return callMethodWithText(suite.app, transport, {
              method,
              authorization,
              fields,
              rest,
            });
          };

          const answer = await call(theirs.ids[field]);

          if (mayCall(who, method)) expect(answer.code).toBe(code);
          else expect(['forbidden', 'unauthenticated']).toContain(answer.code);
          expectNothingOf(answer.text);
          expect(answer).toEqual(await call(unknown[field]));
        },
      );
    },
  );

  itHoldsFor(within, 20)(
    'reject callers from the other workspace as in an unknown workspace',
    (_, method) => {
      const rest = requiredFields[method.name] ?? {};
      const takesKeys = accessOf(method).principals.includes(principalTypes.workspace_key);
      return expectOfAll(
        (transport) => callersFor(transport, bound),
        async (transport, who) => {
          const authorization = await credentialOf(who, method);
          const call = (ids: object) => {
            const fields = { ...idsFor(method.name, ids), page_token: '' };
            return callMethodWithText(suite.app, transport, {
              method,
              authorization,
              fields,
              rest,
            });
          };

          const answer = await call(theirs.ids);

          const code = who === 'key' && !takesKeys ? 'unauthenticated' : 'forbidden';
          expect(answer.code).toBe(code);
          expectNothingOf(answer.text);
          expect(answer).toEqual(await call(unknown));
        },
      );
    },
  );

  itHoldsFor(within, 20)('find nothing in an unknown workspace', (_, method) => {
    const rest = requiredFields[method.name] ?? {};
    const isRead = method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
    const refusals = ['not_found', 'invalid_argument', 'forbidden', 'unauthenticated'];
    return expectOfAll(
      () => ['staff', 'service'] as const,
      async (transport, who) => {
        const authorization = await credentialOf(who, method);
        const fields = { ...idsFor(method.name, unknown), page_token: '' };
        const call = { method, authorization, fields, rest };
        const { code } = await callMethodWithText(suite.app, transport, call);
        expect(isRead ? [...refusals, 'ok'] : refusals).toContain(code);
      },
    );
  });

  itHoldsFor(byName(byToken), 2)(
    "answer with the id of the other workspace's invitation and no secret as with an unknown id",
    (_, method) =>
      expectOfAll(
        (transport) => [...callersFor(transport, callers), 'anonymous' as const],
        async (transport, who) => {
          const authorization = who === 'anonymous' ? undefined : await credentialOf(who, method);
          const user_id = (who !== 'anonymous' && users.get(who)) || ours.ids.user_id;
          const call = (id: string) => {
            const fields = { user_id, token: `${id}.${'a'.repeat(43)}`, password };
            return callMethodWithText(suite.app, transport, { method, authorization, fields });
          };

          const answer = await call(theirs.ids.invitation_id);

          const mayTry = accessOf(method).public || (who !== 'anonymous' && mayCall(who, method));
          if (mayTry) expect(answer.code).toBe('identity.credential_invalid');
          else expect(['forbidden', 'unauthenticated']).toContain(answer.code);
          expectNothingOf(answer.text);
          expect(answer).toEqual(await call(unknown.invitation_id));
        },
      ),
  );

  itHoldsFor(product(paged, callers), 42)(
    "continue in the caller's own list with a page token of the other workspace",
    async (_, method, who) => {
      const authorization = await credentialOf(who, method);
      const fields = { ...ours.ids, page_token: theirs.ids.page_token };
      const rest = requiredFields[method.name] ?? {};
      const call = { method, authorization, fields, rest };
      const answer = await callMethodWithText(suite.app, 'http', call);
      if (mayCall(who, method)) expect(answer.code).toBe('ok');
      // A caller who may see all workspaces, or is a member of both, sees both in the list.
      const seesBoth = who === 'member of both' || who === 'staff' || who === 'service';
      if (method.name !== 'ListWorkspaces' || !seesBoth) expectNothingOf(answer.text);
    },
  );
});
