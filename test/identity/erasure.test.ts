// A deleted user is disabled at once, can be restored for seven days, and is then erased.
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { SessionService } from '../../gen/latchkey/identity/v1/session_pb.js';
import { UserKind, UserService } from '../../gen/latchkey/identity/v1/user_pb.js';
import { MemberRole, WorkspaceService } from '../../gen/latchkey/sharing/v1/workspace_pb.js';
import { readArchive, readText } from '../../src/backup/archive.ts';
import { useAdministrator } from '../support/administrator.ts';
import { describeApp } from '../support/app-suite.ts';
import { allRows, auditEventRow } from '../support/audit-rows.ts';
import { startDeviceSignIn } from '../support/device-sign-ins.ts';
import { endWait, purge } from '../support/ended-waits.ts';
import { callJson } from '../support/json-calls.ts';
import { openLink } from '../support/link-views.ts';
import { codeOf, messageOf } from '../support/manager-calls.ts';
import { addMember } from '../support/member-rows.ts';
import { cookieOf } from '../support/method-access.ts';
import { addWorkspace, changeAsOtherProcess, updateRow } from '../support/owner-rows.ts';
import { addPasskeyRow } from '../support/passkeys.ts';
import { makeLink, upload } from '../support/sharing-api.ts';
import type { Credential } from '../support/transports.ts';
import { addSession, addTotp, addUser } from '../support/user-rows.ts';

const { createUser, deleteUser, undeleteUser, getUser, listUsers, enableUser, updateUser } =
  UserService.method;
const password = 'the lantern of a leaver';

describeApp('a deleted user', (suite) => {
  const { admin, caller } = useAdministrator(suite);
  const db = () => suite.app.inside.db;
  const call = suite.callsThrough('grpc', admin);
  const signIn = async (email: string) =>
    (await callJson(suite.app, 'POST', '/sessions', { email, password })).status;

  /** From another address than that of the browser. */
  async function approveDeviceSignIn(userId: string) {
    const { userCode } = await startDeviceSignIn(suite.transport('connect'));
    await db().updateTable('device_sign_ins').set({ address: '203.0.113.77' }).execute();
    const cookie = cookieOf((await addSession(db(), userId)).cookie);
    const { approveDeviceSignIn: approve } = SessionService.method;
    messageOf(await suite.transport('connect').call(approve, { userCode }, { cookie }));
    await db().deleteFrom('device_sign_ins').execute();
  }
  const reasonsOf = async (userId: string) => {
    const events = db().selectFrom('audit_events').select('reason');
    return (await events.where('actor_id', '=', userId).execute()).map(({ reason }) => reason);
  };

  it('is signed out at once, cannot be changed, and signs in again after the undo', async () => {
    const user = await addUser(db(), { kind: 'member', password });
    const { id: userId, email } = user;
    const own = await caller(userId, 'member');
    expect(codeOf(await call(getUser, { userId: 'me' }, own))).toBe('ok');

    const deleted = messageOf(await call(deleteUser, { userId }));
    expect(deleted.user?.deleteTime).toBeDefined();
    expect(codeOf(await call(getUser, { userId: 'me' }, own))).toBe('unauthenticated');
    expect(await signIn(email)).toBe(401);
    expect(codeOf(await call(enableUser, { userId }))).toBe('conflict');
    expect(codeOf(await call(updateUser, { userId, name: 'New' }))).toBe('conflict');
    const again = { email, password, kind: UserKind.MEMBER };
    expect(codeOf(await call(createUser, again))).toBe('conflict');
    const ids = async (showDeleted: boolean) =>
      messageOf(await call(listUsers, { email, showDeleted })).users.map(({ id }) => id);
    expect([await ids(false), await ids(true)]).toEqual([[], [userId]]);

    messageOf(await call(undeleteUser, { userId }));
    expect(await signIn(email)).toBe(200);
  });

  it('is not the last owner of a workspace, unless the workspace is deleted, too', async () => {
    const { ownerId: workspaceId } = await addWorkspace(db(), '');
    const userId = await addMember(db(), workspaceId, 'owner');
    const refused = await call(deleteUser, { userId: 'me' }, await caller(userId, 'member'));
    expect(refused).toMatchObject({
      error: { code: 'conflict', message: expect.stringContaining(workspaceId) },
    });
    messageOf(await call(WorkspaceService.method.deleteWorkspace, { workspaceId }));
    const own = await caller(userId, 'member');
    expect(codeOf(await call(deleteUser, { userId: 'me' }, own))).toBe('ok');
  });

  it('is not the last staff user with a scope, and not above the caller', async () => {
    const { id: weakId } = await addUser(db(), { kind: 'staff', scopes: 'users:write' });
    const { id: strongId } = await addUser(db(), { kind: 'staff', scopes: 'signing_keys:write' });
    const weak = await caller(weakId);
    expect(codeOf(await call(deleteUser, { userId: strongId }, weak))).toBe('forbidden');
    const { id: memberId } = await addUser(db(), { kind: 'member' });
    const member = await caller(memberId, 'member');
    expect(codeOf(await call(deleteUser, { userId: strongId }, member))).toBe('forbidden');
    expect(codeOf(await call(undeleteUser, { userId: memberId }, member))).toBe('forbidden');
    await changeAsOtherProcess(db(), (trx) =>
      trx
        .updateTable('users')
        .set({ disable_time: 1 })
        .where('kind', '=', 'staff')
        .where('id', 'not in', [weakId, strongId])
        .execute(),
    );
    const own = await caller(strongId);
    expect(await call(deleteUser, { userId: 'me' }, own)).toMatchObject({
      error: { code: 'conflict', message: expect.stringContaining('signing_keys:write') },
    });
    await changeAsOtherProcess(db(), (trx) =>
      trx.updateTable('users').set({ disable_time: null }).where('kind', '=', 'staff').execute(),
    );
  });

  it('leaves no row with the address, the name or a secret after the waiting time', async () => {
    const email = 'ada.leaver@example.com';
    const user = await addUser(db(), { kind: 'member', password, email, name: 'Ada Leaver' });
    const { id: userId } = user;
    const { ownerId: workspaceId } = await addWorkspace(db(), '');
    await addMember(db(), workspaceId, 'member', userId);
    await addSession(db(), userId, { address: '203.0.113.77' });
    await addTotp(suite.testApp, userId);
    const passkeyId = await addPasskeyRow(db(), userId);
    expect(await signIn(email)).toBe(401);
    // A refused sign-in with a passkey has such an event.
    const refused = { action: 'SessionService.SignInWithPasskey', target: passkeyId };
    const from = { actor_type: 'anonymous', address: '203.0.113.77' };
    await db()
      .insertInto('audit_events')
      .values(auditEventRow({ ...refused, ...from }))
      .execute();
    const { id } = await upload(suite.testApp, Buffer.from('bytes'));
    const options = {
      name: `For ${email}, not b${email}`,
      email_required: true,
      block_list: [`x${email}`],
    };
    const read = await makeLink(suite.testApp, id, options);
    await openLink(read, 'Ada.Leaver@example.com');
    const only = await makeLink(suite.testApp, id, { allow_list: [email] });
    await approveDeviceSignIn(userId);
    await changeAsOtherProcess(db(), async (trx) => {
      const own = { creator_id: userId };
      await trx.updateTable('links').set(own).where('id', '=', only.id).execute();
      const browser = { digest: 'abc', workspace_id: workspaceId, email, expire_time: 4e12 };
      await trx.insertInto('remembered_readers').values(browser).execute();
      const read = { workspace_id: workspaceId, user_id: userId, read_time: 1 };
      await trx.insertInto('notice_reads').values(read).execute();
      await trx
        .updateTable('audit_events')
        .set({ address: '203.0.113.77' })
        .where('target', '=', userId)
        .execute();
    });
    expect((await reasonsOf(userId)).join()).toContain('203.0.113.77');
    messageOf(await call(deleteUser, { userId }));
    await endWait(suite.app, 'users', userId);
    expect(codeOf(await call(undeleteUser, { userId }))).toBe('conflict');

    await purge(suite.app, 'users', userId);

    const rows = await allRows(db(), ['changes']);
    const whole = /(?<![\w.])ada\.leaver@example\.com|ada leaver|203\.0\.113\.77/i;
    expect(rows.filter((row) => whole.test(row))).toEqual([]);
    const about = rows.filter((row) => row.includes(userId)).map((row) => row.split(' ')[0]);
    expect(new Set(about)).toEqual(new Set(['audit_events', 'links', 'users']));
    const links = await db()
      .selectFrom('links')
      .select(['name', 'allow_list', 'block_list'])
      .where('id', 'in', [read.id, only.id])
      .orderBy('allow_list')
      .execute();
    const pseudonym = `${userId.toLowerCase()}@deleted.invalid`;
    expect(links).toEqual([
      { name: `For ${pseudonym}, not b${email}`, allow_list: '', block_list: `x${email}` },
      { name: '', allow_list: pseudonym, block_list: '' },
    ]);
    expect(codeOf(await call(getUser, { userId }))).toBe('not_found');
    expect(messageOf(await call(listUsers, { query: userId, showDeleted: true })).users).toEqual(
      [],
    );
    expect(codeOf(await call(createUser, { email, password, kind: UserKind.MEMBER }))).toBe('ok');
  });

  it('is erased without a change of other addresses and of block lists', async () => {
    const email = 'brien@example.com';
    const { id: userId } = await addUser(db(), { kind: 'member', email });
    const { id } = await upload(suite.testApp, Buffer.from('bytes'));
    const others = ["o'brien@example.com", 'x=brien@example.com', 'brien@example.com.example'];
    const link = await makeLink(suite.testApp, id, {
      name: others.join(', '),
      allow_list: [...others, email],
      block_list: ['someone@example.com'],
    });
    const closed = await makeLink(suite.testApp, id, { block_list: [email] });
    const pseudonym = `${userId.toLowerCase()}@deleted.invalid`;
    await addUser(db(), { kind: 'member', email: pseudonym });
    messageOf(await call(deleteUser, { userId }));

    await purge(suite.app, 'users', userId);

    const links = await db()
      .selectFrom('links')
      .select(['name', 'allow_list', 'block_list'])
      .where('id', 'in', [link.id, closed.id])
      .orderBy('block_list')
      .execute();
    expect(links).toEqual([
      { name: '', allow_list: '', block_list: email },
      {
        name: others.join(', '),
        allow_list: [...others, pseudonym].join(' '),
        block_list: 'someone@example.com',
      },
    ]);
    const erased = await db()
      .selectFrom('users')
      .select(['email', 'name'])
      .where('id', '=', userId)
      .executeTakeFirst();
    expect(erased?.name).toBe('Deleted user');
    expect(erased?.email).toMatch(/^usr_\w+\.[\w-]+@deleted\.invalid$/);
    // The member cannot return.
    const member = { workspaceId: suite.testApp.env.WORKSPACE_ID ?? '', userId };
    const put = { ...member, role: MemberRole.MEMBER };
    expect(codeOf(await call(WorkspaceService.method.putMember, put))).toBe('not_found');
  });

  it('keeps no time of read notices that an earlier release left behind', async () => {
    const { ownerId: workspaceId } = await addWorkspace(db(), '');
    const users: string[] = [];
    for (const kind of ['erased', 'kept']) {
      const { id } = await addUser(db(), { kind: 'member', email: `${kind}-reads@example.com` });
      users.push(id);
    }
    const [erased = '', kept = ''] = users;
    messageOf(await call(deleteUser, { userId: erased }));
    await purge(suite.app, 'users', erased);
    await changeAsOtherProcess(db(), async (trx) => {
      const rows = [...users, 'usr_unknown'].map((user_id) => ({ user_id, read_time: 1 }));
      const reads = rows.map((row) => ({ workspace_id: workspaceId, ...row }));
      await trx.insertInto('notice_reads').values(reads).execute();
    });

    await suite.app.inside.deleteOldRows();

    const left = await db()
      .selectFrom('notice_reads')
      .select('user_id')
      .where('workspace_id', '=', workspaceId)
      .execute();
    expect(left).toEqual([{ user_id: kept }]);
  });

  it('gets an archive of the own data, without secrets, and no one else does', async () => {
    const user = await addUser(db(), { kind: 'member', password, name: 'Grace' });
    const { ownerId: workspaceId } = await addWorkspace(db(), '');
    await addMember(db(), workspaceId, 'member', user.id);
    await addPasskeyRow(db(), user.id);
    const { id } = await upload(suite.testApp, Buffer.from('bytes'));
    const link = await makeLink(suite.testApp, id, { email_required: true });
    await openLink(link, user.email);
    await updateRow(db(), 'links', link.id, { creator_id: user.id });
    const read = { workspace_id: workspaceId, user_id: user.id, read_time: 86_400_000 };
    await changeAsOtherProcess(db(), (trx) =>
      trx.insertInto('notice_reads').values(read).execute(),
    );
    const get = async (path: string, credential: Credential) =>
      fetch(`${suite.app.publicUrl}/users/${path}:export`, {
        headers: { authorization: credential.authorization ?? '' },
      });
    const own = await caller(user.id, 'member');
    expect((await get(user.id, admin())).status).toBe(403);

    const response = await get('me', own);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-disposition')).toContain(`${user.id}.tar`);
    const bytes = Buffer.from(await response.arrayBuffer());
    const files = new Map<string, Record<string, unknown>[]>();
    for await (const entry of readArchive(Readable.from([bytes]))) {
      files.set(entry.name, JSON.parse(await readText(entry)));
    }
    expect(files.get('profile.json')).toEqual([
      expect.objectContaining({ id: user.id, email: user.email, name: 'Grace' }),
    ]);
    expect(files.get('memberships.json')).toMatchObject([{ workspace_id: workspaceId }]);
    expect(files.get('notice_reads.json')).toEqual([
      { workspace_id: workspaceId, read_time: '1970-01-02T00:00:00.000Z' },
    ]);
    expect(files.get('links.json')).toMatchObject([{ id: link.id }]);
    expect(files.get('views.json')).toMatchObject([{ link_id: link.id }]);
    expect([...files.keys()]).toEqual(expect.arrayContaining(['sessions.json', 'passkeys.json']));
    const text = bytes.toString();
    const slug = link.url.slice(-22);
    for (const secret of [slug, user.password_hash, 'digest', 'public_key', 'ciphertext']) {
      expect(text).not.toContain(secret);
    }
  });
});
