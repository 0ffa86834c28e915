// A deleted workspace stops working at once for everyone, and can be restored for seven days.
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { IssuanceService } from '../../gen/latchkey/identity/v1/issuance_pb.js';
import { SearchService } from '../../gen/latchkey/identity/v1/search_pb.js';
import { DocumentService } from '../../gen/latchkey/sharing/v1/document_pb.js';
import { WorkspaceService } from '../../gen/latchkey/sharing/v1/workspace_pb.js';
import { startAppPair } from '../support/app-pair.ts';
import { describeApp } from '../support/app-suite.ts';
import { allRows } from '../support/audit-rows.ts';
import { untilFinished } from '../support/document-streams.ts';
import { endWait, purge } from '../support/ended-waits.ts';
import { type FilledWorkspace, makeFilledWorkspace } from '../support/filled-workspace.ts';
import { addViews } from '../support/link-rows.ts';
import { codeOf, managerCredential, messageOf } from '../support/manager-calls.ts';
import { describeFeature } from '../support/matrix.ts';
import { addMember, credentialFor, memberScope } from '../support/member-rows.ts';
import { addClient, addWorkspace } from '../support/owner-rows.ts';
import { bearer, blobDirOf, filesUnder, makeLink, upload } from '../support/sharing-api.ts';
import { openTransports } from '../support/transports.ts';
import { expectWithinOneSecond } from '../support/within-one-second.ts';

const { deleteWorkspace, undeleteWorkspace, getWorkspace, listWorkspaces, updateWorkspace } =
  WorkspaceService.method;
const { listDocuments } = DocumentService.method;

describeApp('a deleted workspace', (suite) => {
  let staff: { authorization: string };
  let filled: FilledWorkspace;
  const db = () => suite.app.inside.db;
  const call: ReturnType<typeof suite.transport>['call'] = (method, request, credential = staff) =>
    suite.transport('grpc').call(method, request, credential);
  const by = async (role: 'owner' | 'admin', workspaceId: string) => {
    const sub = await addMember(db(), workspaceId, role);
    return credentialFor(suite.testApp, { type: 'member', sub, scope: memberScope });
  };
  const openLinkOf = async (workspaceId: string) => {
    const { slug } = await db()
      .selectFrom('links')
      .select('slug')
      .where('workspace_id', '=', workspaceId)
      .where('email_required', '=', 0)
      .executeTakeFirstOrThrow();
    return async () => (await fetch(`${suite.app.publicUrl}/s/${slug}`)).status;
  };

  beforeAll(async () => {
    const scopes = 'workspaces:read workspaces:write documents:read links:read';
    staff = await managerCredential(suite.app, scopes, { type: 'staff' });
    filled = await makeFilledWorkspace(suite.testApp);
  });

  it('refuses its key, members and staff, shows no link, and works after the undo', async () => {
    const { workspace_id: workspaceId } = filled.ids;
    const owner = await by('owner', workspaceId);
    const linkStatus = await openLinkOf(workspaceId);
    const keyCode = async () => codeOf(await call(listDocuments, {}, filled.key));
    const found = async (credential: typeof staff) =>
      messageOf(await call(SearchService.method.search, { query: workspaceId }, credential)).results
        .length;
    // A deletion is a change of the workspace.
    const rowsNow = async () =>
      (await filled.rows()).map((row) => row.replace(/"update_time":\w+,/, ''));
    const before = { rows: await rowsNow(), found: await found(staff) };
    expect([await linkStatus(), await keyCode(), before.found > 0]).toEqual([200, 'ok', true]);

    const { workspace } = messageOf(await call(deleteWorkspace, { workspaceId }, owner));
    expect(workspace?.deleteTime).toBeDefined();
    expect([await linkStatus(), await keyCode()]).toEqual([410, 'unauthenticated']);
    for (const credential of [owner, staff]) {
      // The member has no other workspace, and so no other scope.
      const refused = credential === owner ? 'forbidden' : 'not_found';
      expect(codeOf(await call(listDocuments, { workspaceId }, credential))).toBe(refused);
      const renamed = await call(updateWorkspace, { workspaceId, name: 'New' }, credential);
      expect(codeOf(renamed)).toBe('not_found');
      expect(await found(credential)).toBe(0);
      const ids = async (showDeleted: boolean) =>
        messageOf(await call(listWorkspaces, { query: workspaceId, showDeleted }, credential))
          .workspaces.length;
      expect([await ids(false), await ids(true)]).toEqual([0, 1]);
      expect(codeOf(await call(getWorkspace, { workspaceId }, credential))).toBe('ok');
    }

    messageOf(await call(undeleteWorkspace, { workspaceId }, owner));
    expect([await linkStatus(), await keyCode()]).toEqual([200, 'ok']);
    expect(await found(staff)).toBe(before.found);
    const rows = await rowsNow();
    expect(before.rows.filter((row) => !rows.includes(row))).toEqual([]);
  });

  it('can be deleted and restored by owners, and not by other members', async () => {
    const { ownerId: workspaceId } = await addWorkspace(db(), '');
    const owner = await by('owner', workspaceId);
    const admin = await by('admin', workspaceId);
    const stranger = await by('owner', (await addWorkspace(db(), '')).ownerId);
    for (const method of [deleteWorkspace, undeleteWorkspace]) {
      for (const credential of [admin, stranger]) {
        expect(codeOf(await call(method, { workspaceId }, credential))).toBe('forbidden');
      }
      expect(codeOf(await call(method, { workspaceId }, owner))).toBe('ok');
      // Repeated.
      expect(codeOf(await call(method, { workspaceId }, owner))).toBe('ok');
    }
    await endWait(suite.app, 'workspaces', workspaceId);
    expect(codeOf(await call(undeleteWorkspace, { workspaceId }, owner))).toBe('conflict');
    const missing = { workspaceId: 'ws_missing' };
    expect(codeOf(await call(deleteWorkspace, missing))).toBe('not_found');
  });

  it('leaves no row and no byte after the waiting time', async () => {
    const gone = await makeFilledWorkspace(suite.testApp);
    const { workspace_id: workspaceId, link_id: linkId } = gone.ids;
    const views = Array.from({ length: 700 }, (_, i) => ({ time: i + 1, pages: { 1: 5 } }));
    await addViews(suite.testApp, { id: linkId }, views);
    // More than a slice, and the parent is the first of the index by names.
    const names = ['aaa', ...Array.from({ length: 130 }, (_, i) => `b${i}`)];
    const folders = names.map((name) => ({
      ...{ id: `fld_${name}`, workspace_id: workspaceId, name, name_key: name, create_time: 1 },
      parent_id: name === 'aaa' ? null : 'fld_aaa',
    }));
    await db().insertInto('folders').values(folders).execute();
    const read = { workspace_id: workspaceId, user_id: 'usr_reader', read_time: 1 };
    await db().insertInto('notice_reads').values(read).execute();
    const kept = await filled.rows();
    messageOf(await call(deleteWorkspace, { workspaceId }));
    await endWait(suite.app, 'workspaces', workspaceId);
    const bytes = (await filesUnder(blobDirOf(suite.testApp))).length;
    await purge(suite.app, 'workspaces', workspaceId);
    await suite.app.inside.deleteOldRows();

    const rows = await allRows(db(), ['audit_events', 'changes', 'pending_blobs', 'users']);
    const marks = gone.marks.filter((mark) => !mark.startsWith('usr_') && !mark.includes('@'));
    expect(rows.filter((row) => marks.some((mark) => row.includes(mark)))).toEqual([]);
    expect(await filled.rows()).toEqual(kept);
    expect(codeOf(await call(getWorkspace, { workspaceId }))).toBe('not_found');
    await expect
      .poll(async () => (await filesUnder(blobDirOf(suite.testApp))).length, { timeout: 60_000 })
      .toBeLessThan(bytes);
  });
});

describeFeature('a deletion', (dialect) => {
  it('reaches another process within a second', async () => {
    const pair = await startAppPair(dialect, {});
    onTestFinished(() => pair.remove());
    const [first, second] = pair.apps;
    const transports = untilFinished(openTransports(second.app));
    const grpc = transports.find(({ name }) => name === 'grpc');
    if (grpc === undefined) throw new Error('there is no gRPC transport');
    const { db } = first.app.inside;
    const { ownerId: clientId, text: clientSecret } = await addClient(db, 'payments:read');
    const { id } = await upload(first, Buffer.from('bytes'));
    const link = await makeLink(first, id);
    const { API_KEY, WORKSPACE_ID } = first.env;
    const issue = async () => {
      const request = { clientId, clientSecret, scope: 'payments:read' };
      return codeOf(await grpc.call(IssuanceService.method.issueToken, request, {}));
    };
    const list = async () => codeOf(await grpc.call(listDocuments, {}, bearer(API_KEY ?? '')));
    const view = async () =>
      (await fetch(link.url.replace(pair.origins[0], pair.origins[1]))).status;
    const state = async () => [await issue(), await list(), await view()];
    expect(await state()).toEqual(['ok', 'ok', 200]);

    const scopes = 'clients:read clients:write workspaces:read workspaces:write';
    const manager = await managerCredential(first.app, scopes);
    const send = (method: string, path: string) =>
      fetch(`${pair.origins[0]}${path}`, { method, headers: manager });
    const answers = await Promise.all([
      send('DELETE', `/clients/${clientId}`),
      send('DELETE', `/workspaces/${WORKSPACE_ID}`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const refused = ['identity.credential_invalid', 'unauthenticated', 410];
    await expectWithinOneSecond(db, state, refused);
  });
});
