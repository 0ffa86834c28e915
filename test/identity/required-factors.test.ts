// A second factor that the installation or a workspace requires.
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { beforeEach, expect, it } from 'vitest';
import { AuditService } from '../../gen/latchkey/identity/v1/audit_pb.js';
import { PasskeyService } from '../../gen/latchkey/identity/v1/passkey_pb.js';
import { UserService } from '../../gen/latchkey/identity/v1/user_pb.js';
import { SessionCookie } from '../../gen/latchkey/options/v1/access_pb.js';
import { DocumentService } from '../../gen/latchkey/sharing/v1/document_pb.js';
import { WorkspaceService } from '../../gen/latchkey/sharing/v1/workspace_pb.js';
import { methodFactsOf } from '../../src/api/endpoint.ts';
import { describeApp, startPlace } from '../support/app-suite.ts';
import { CookieClient, forgetAttempts } from '../support/cookie-client.ts';
import { messageOf } from '../support/manager-calls.ts';
import { addMember, credentialFor, memberScope } from '../support/member-rows.ts';
import { acceptedTypes } from '../support/method-access.ts';
import { allMethods, callMethod } from '../support/method-calls.ts';
import { addWorkspace, changeAsOtherProcess } from '../support/owner-rows.ts';
import { addedPasskey } from '../support/passkeys.ts';
import { itHoldsFor } from '../support/rule.ts';
import { addUser, codeAt, fromBase32 } from '../support/user-rows.ts';

const { listAuditEvents } = AuditService.method;
const { enrolTotp, confirmTotp, removeTotp, createRecoveryCodes } = UserService.method;
const { startPasskeyRegistration, deletePasskey } = PasskeyService.method;
const { listDocuments } = DocumentService.method;
const { updateWorkspace, getWorkspace } = WorkspaceService.method;

const password = 'correct horse battery staple';
const dayMs = 24 * 60 * 60_000;
const refused = { ok: false, error: { code: 'second_factor_required' } };

/** Without SignOut, which would end the session of the test. */
const memberMethods = allMethods.filter((method) => {
  const { access } = methodFactsOf(method);
  const acceptsToken = access.sessionCookie !== SessionCookie.REQUIRED;
  return acceptedTypes(method).includes('member') && acceptsToken && method.name !== 'SignOut';
});

describeApp('a workspace that requires a second factor', (suite) => {
  const db = () => suite.app.inside.db;
  const transport = () => suite.transport('connect');
  const start = Math.ceil(Date.now() / 1000) * 1000;
  forgetAttempts(suite);
  beforeEach(() => {
    suite.clock.frozen = start;
  });

  const setMethods = (userId: string, amr: string) =>
    changeAsOtherProcess(db(), (trx) =>
      trx.updateTable('sessions').set({ amr }).where('user_id', '=', userId).execute(),
    );

  async function setUp(graceDays = 0) {
    const { ownerId: workspaceId, text: apiKey } = await addWorkspace(db(), 'documents:read');
    const { id: userId, email } = await addUser(db(), { kind: 'member', password });
    await addMember(db(), workspaceId, 'admin', userId);
    const browser = new CookieClient(transport());
    const { accessToken } = await browser.signedIn({ email, password });
    const first = { authorization: `Bearer ${accessToken}` };
    const change = async (rule: { requireSecondFactor: boolean; graceDays?: number }) => {
      const sub = { type: 'member', scope: memberScope, sub: userId } as const;
      const request = { workspaceId, graceDays, ...rule };
      const paths = ['require_second_factor', 'grace_days'];
      const own = await credentialFor(suite.testApp, sub);
      return transport().call(updateWorkspace, { ...request, updateMask: { paths } }, own);
    };
    const { workspace } = messageOf(await change({ requireSecondFactor: true }));
    const refresh = async () => {
      const { user, scope, accessToken: token } = messageOf(await browser.refresh());
      const own = { authorization: `Bearer ${token}` };
      return { user, scope, own };
    };
    const use = (own: { authorization: string }) =>
      transport().call(listDocuments, { workspaceId }, own);
    return { workspaceId, apiKey, userId, first, change, workspace, refresh, use };
  }

  it('says when the grace period ends, and then limits tokens that exist', async () => {
    const { workspace, first, refresh, use } = await setUp(2);
    const due = start + 2 * dayMs;
    expect(workspace).toMatchObject({ requireSecondFactor: true, graceDays: 2 });
    const { user, scope } = await refresh();
    for (const time of [workspace?.secondFactorDueTime, user?.secondFactorDueTime]) {
      expect(time && timestampMs(time)).toBe(due);
    }
    expect(scope).toContain('documents:read');
    messageOf(await use(first));
    await changeAsOtherProcess(db(), (trx) =>
      trx.updateTable('workspaces').set({ factor_grace_days: 0 }).execute(),
    );
    await expect.poll(() => use(first)).toMatchObject(refused);
    expect(await refresh()).toMatchObject({ scope: '' });
  });

  it('is satisfied by a one-time code, in the same session', async () => {
    const { userId, refresh, use } = await setUp();
    const { own } = await refresh();
    expect(await use(own)).toMatchObject(refused);
    const { secret } = messageOf(await transport().call(enrolTotp, { userId }, own));
    const code = codeAt(fromBase32(secret), start);
    messageOf(await transport().call(confirmTotp, { userId, code }, own));
    const next = await refresh();
    expect(next.user?.secondFactorDueTime).toBeUndefined();
    messageOf(await use(next.own));
  });

  it('is not satisfied by a code that no sign-in asks for', async () => {
    const { userId, refresh, use } = await setUp();
    const { own: withPassword } = await refresh();
    const begun = messageOf(await transport().call(enrolTotp, { userId }, withPassword));
    await changeAsOtherProcess(db(), async (trx) => {
      await trx.updateTable('users').set({ password_hash: '' }).where('id', '=', userId).execute();
      await trx.updateTable('sessions').set({ amr: '' }).where('user_id', '=', userId).execute();
    });
    // The session of a sign-in with a provider, which reports no second factor.
    const { own } = await refresh();
    const conflict = { ok: false, error: { code: 'conflict' } };
    expect(await transport().call(enrolTotp, { userId }, own)).toMatchObject(conflict);
    const code = codeAt(fromBase32(begun.secret), start);
    expect(await transport().call(confirmTotp, { userId, code }, own)).toMatchObject(conflict);
    expect(await use((await refresh()).own)).toMatchObject(refused);
    await addedPasskey(transport(), suite.app.publicUrl, own);
    messageOf(await use((await refresh()).own));
  });

  it('is satisfied by a passkey, in the same session', async () => {
    const { refresh, use } = await setUp();
    const { own } = await refresh();
    await addedPasskey(transport(), suite.app.publicUrl, own);
    messageOf(await use((await refresh()).own));
  });

  it('is satisfied by a sign-in that reports one', async () => {
    const { userId, refresh, use } = await setUp();
    await setMethods(userId, 'fpt mfa');
    messageOf(await use((await refresh()).own));
  });

  it('concerns members that staff added', async () => {
    const { userId, refresh, use } = await setUp();
    await changeAsOtherProcess(db(), (trx) =>
      trx.updateTable('members').set({ joined: 0 }).where('user_id', '=', userId).execute(),
    );
    expect(await use((await refresh()).own)).toMatchObject(refused);
  });

  it('does not let a session without the factor of its user add another one', async () => {
    const { userId, refresh } = await setUp();
    const { own } = await refresh();
    await addedPasskey(transport(), suite.app.publicUrl, own);
    await setMethods(userId, 'pwd');
    const { own: stolen } = await refresh();
    const calls = [
      transport().call(enrolTotp, { userId }, stolen),
      transport().call(confirmTotp, { userId, code: '000000' }, stolen),
      transport().call(createRecoveryCodes, { userId }, stolen),
      transport().call(startPasskeyRegistration, { userId }, stolen),
    ];
    for (const answer of await Promise.all(calls)) expect(answer).toMatchObject(refused);
  });

  it('protects factors from a password alone in the grace period, too', async () => {
    const { userId, change, refresh } = await setUp(7);
    const { own } = await refresh();
    const { id: passkeyId } = await addedPasskey(transport(), suite.app.publicUrl, own);
    await setMethods(userId, 'pwd');
    const { own: stolen } = await refresh();
    const tries = [
      () => transport().call(enrolTotp, { userId }, stolen),
      () => transport().call(createRecoveryCodes, { userId }, stolen),
      () => transport().call(startPasskeyRegistration, { userId }, stolen),
      () => transport().call(deletePasskey, { userId, passkeyId }, stolen),
    ];
    for (const attempt of tries) expect(await attempt()).toMatchObject(refused);

    // Without a rule, a password alone signs in, and may replace a lost passkey.
    await change({ requireSecondFactor: false });
    messageOf(await transport().call(deletePasskey, { userId, passkeyId }, stolen));
    const { secret } = messageOf(await transport().call(enrolTotp, { userId }, stolen));
    const code = codeAt(fromBase32(secret), start);
    messageOf(await transport().call(confirmTotp, { userId, code }, stolen));
    // From now on a sign-in asks for a code. An earlier session has not proven one.
    await setMethods(userId, 'pwd');
    const rest = [...tries.slice(0, 3), () => transport().call(removeTotp, { userId }, stolen)];
    for (const attempt of rest) expect(await attempt()).toMatchObject(refused);
    const auditor = await credentialFor(suite.testApp, { type: 'staff', scope: 'audit:read' });
    const filter = { code: 'second_factor_required', actor: userId };
    const recorded = async () =>
      messageOf(await transport().call(listAuditEvents, filter, auditor)).events.length;
    await expect.poll(recorded, { timeout: 10_000 }).toBeGreaterThan(3);
  });

  it('does not concern API keys and services', async () => {
    const { workspaceId, apiKey } = await setUp();
    messageOf(await transport().call(listDocuments, {}, { authorization: `Bearer ${apiKey}` }));
    const service = await credentialFor(suite.testApp, { type: 'service', scope: memberScope });
    messageOf(await transport().call(getWorkspace, { workspaceId }, service));
  });

  it('can be changed by an admin with a factor, at once for every session', async () => {
    const { change, refresh, use } = await setUp();
    const { own } = await refresh();
    expect(await use(own)).toMatchObject(refused);
    expect(await change({ requireSecondFactor: false })).toMatchObject(refused);
    await changeAsOtherProcess(db(), (trx) =>
      trx.updateTable('workspaces').set({ factor_required_since: null }).execute(),
    );
    await expect.poll(async () => (await use((await refresh()).own)).ok).toBe(true);
    expect(await change({ requireSecondFactor: true, graceDays: 31 })).toMatchObject({
      error: { code: 'invalid_argument', fields: ['grace_days'] },
    });
  });

  itHoldsFor(
    memberMethods.map((method) => [`${method.parent.name}.${method.name}`, method] as const),
    50,
  )('allows only the methods that add a factor', async (_name, method) => {
    limited ??= await (await setUp()).refresh();
    const { code } = await callMethod(suite.app, 'http', { method, ...limited.own });
    const isAllowed = methodFactsOf(method).access.secondFactorEnrolment;
    if (isAllowed) expect(code).not.toBe('second_factor_required');
    else expect(code).toBe('second_factor_required');
  });
  let limited: { readonly own: { readonly authorization: string } } | undefined;

  it('names the methods that add a factor', () => {
    const allowed = allMethods.filter((one) => methodFactsOf(one).access.secondFactorEnrolment);
    expect(allowed.map(({ name }) => name)).toEqual([
      'ListUserIdentities',
      'RefreshSession',
      'SignOut',
      'ListPasskeys',
      'StartPasskeyRegistration',
      'CreatePasskey',
      'GetUser',
      'EnrolTotp',
      'ConfirmTotp',
      'CreateRecoveryCodes',
    ]);
  });
});

it('a setting requires a second factor of staff, from its first start on', async () => {
  const clock = { time: Date.now() };
  const started = async (requireSecondFactor: 'off' | 'staff', dataDir?: string) => {
    const config = { requireSecondFactor, secondFactorGraceDays: 7 };
    const options = dataDir === undefined ? {} : { dataDir };
    const { testApp, transport } = await startPlace({
      ...{ config, now: () => clock.time, ...options },
    });
    return {
      testApp,
      async signIn() {
        const { STAFF_EMAIL: email, STAFF_PASSWORD: password } = testApp.env;
        const browser = new CookieClient(transport('connect'));
        const { user, scope } = await browser.signedIn({ email, password });
        const due = user?.secondFactorDueTime;
        return { hasScopes: scope !== '', due: due && timestampMs(due) };
      },
    };
  };
  const begin = clock.time;
  const first = await started('staff');
  const { dataDir } = first.testApp;
  expect(await first.signIn()).toEqual({ hasScopes: true, due: begin + 7 * dayMs });
  await first.testApp.stop();
  clock.time += 8 * dayMs;
  const second = await started('staff', dataDir);
  expect(await second.signIn()).toEqual({ hasScopes: false, due: begin + 7 * dayMs });
  await second.testApp.stop();
  const third = await started('off', dataDir);
  expect(await third.signIn()).toEqual({ hasScopes: true, due: undefined });
  await third.testApp.stop();
  const again = await started('staff', dataDir);
  expect(await again.signIn()).toEqual({ hasScopes: true, due: clock.time + 7 * dayMs });
});
