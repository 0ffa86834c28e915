import { expect, it } from 'vitest';
import { WorkspaceService } from '../../gen/latchkey/sharing/v1/workspace_pb.js';
import { describeApp } from '../support/app-suite.ts';
import { describeTransports } from '../support/matrix.ts';
import { addMember, credentialFor, memberScope } from '../support/member-rows.ts';
import { addWorkspace } from '../support/owner-rows.ts';
import { itHoldsFor } from '../support/rule.ts';

const { createWorkspace, getWorkspace, listWorkspaces, updateWorkspace } = WorkspaceService.method;

const scope = 'workspaces:read workspaces:write';

describeApp('workspaces', (suite) => {
  const db = () => suite.app.inside.db;

  it('are created over HTTP with every field', async () => {
    const headers = await credentialFor(suite.testApp, { type: 'service', scope });
    const url = `${suite.app.publicUrl}/workspaces`;
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"name": "Ours"}',
    });
    expect(response.status).toBe(201);
    const workspace = (await response.json()) as { id: string };
    expect(workspace).toEqual({
      id: expect.stringMatching(/^ws_[0-9A-Za-z]{22}$/),
      name: 'Ours',
      create_time: expect.stringMatching(/Z$/),
      update_time: expect.stringMatching(/Z$/),
      ...{ etag: expect.stringMatching(/^".+"$/), external_id: '' },
      ...{ creator: expect.stringMatching(/^cli_/), creator_name: '' },
      quota: {
        bytes_max: 107_374_182_400,
        documents_max: 100_000,
        links_max: 100_000,
        views_max: 1_000_000,
      },
      usage: { bytes: 0, documents: 0, links: 0, views: 0 },
      brand: { accent_color: '', logo_url: '' },
      link_defaults: {
        ...{ email_required: true, email_verification_required: false },
        ...{ allow_download: false, expire_days: 0, watermark: false, program_access: false },
      },
      ...{ require_second_factor: false, grace_days: 0 },
    });
    expect(response.headers.get('location')).toBe(`/workspaces/${workspace.id}`);
    const read = await fetch(`${url}/${workspace.id}`, { headers });
    expect(await read.json()).toEqual(workspace);
  });

  it('of others are forbidden for an API key', async () => {
    const { ownerId } = await addWorkspace(db(), 'documents:read');
    const headers = { authorization: `Bearer ${suite.testApp.env.API_KEY}` };
    const url = `${suite.app.publicUrl}/api/v1/documents?workspace_id=`;
    expect((await fetch(url + suite.testApp.env.WORKSPACE_ID, { headers })).status).toBe(200);
    const foreign = await fetch(url + ownerId, { headers });
    expect(foreign.status).toBe(403);
    expect(await foreign.json()).toMatchObject({
      detail: 'The API key belongs to another workspace.',
    });
  });

  describeTransports(suite, (name, isOwn) => {
    const call: ReturnType<typeof suite.transport>['call'] = (method, request, credential) =>
      suite.transport(name).call(method, request, credential);

    itHoldsFor(['service', 'staff'] as const)('are managed by services and staff', async (type) => {
      const credential = await credentialFor(suite.testApp, { type, scope });
      const made = await call(createWorkspace, { name: 'One' }, credential);
      if (!made.ok) throw new Error(made.error.message);
      const workspaceId = made.message.workspace?.id ?? '';
      const read = await call(getWorkspace, { workspaceId }, credential);
      expect(read).toMatchObject({ ok: true, message: { workspace: made.message.workspace } });
      const renamed = await call(updateWorkspace, { workspaceId, name: 'Two' }, credential);
      expect(renamed).toMatchObject({ ok: true, message: { workspace: { name: 'Two' } } });
      const unchanged = await call(updateWorkspace, { workspaceId }, credential);
      expect(unchanged).toMatchObject({ ok: true, message: { workspace: { name: 'Two' } } });
      const list = await call(listWorkspaces, { pageSize: 1 }, credential);
      expect(list).toMatchObject({ ok: true, message: { workspaces: [{ id: workspaceId }] } });
      expect(list.ok && list.message.nextPageToken).not.toBe('');
    });

    it('have defaults for the links of the console, which a change replaces', async () => {
      const credential = await credentialFor(suite.testApp, { type: 'service', scope });
      const { ownerId: workspaceId } = await addWorkspace(db(), '');
      const change = async (linkDefaults?: object) => {
        const updateMask = { paths: ['link_defaults'] };
        const request: object = { workspaceId, linkDefaults, updateMask };
        const answer = await call(updateWorkspace, request, credential);
        return answer.ok ? answer.message.workspace?.linkDefaults : answer.error.fields;
      };
      expect(await change({ emailVerificationRequired: true, expireDays: 30 })).toMatchObject({
        ...{ emailRequired: true, emailVerificationRequired: true },
        ...{ allowDownload: false, expireDays: 30 },
      });
      expect(await change({ allowDownload: true })).toMatchObject({
        ...{ emailRequired: false, allowDownload: true, expireDays: 0 },
      });
      expect(await change({ expireDays: 3651 })).toEqual(['link_defaults.expire_days']);
      expect(await change()).toMatchObject({
        ...{ emailRequired: true, allowDownload: false, expireDays: 0 },
      });
    });

    it('are visible only to their members', async () => {
      const [mine, also, theirs] = await Promise.all(
        [1, 2, 3].map(async () => (await addWorkspace(db(), '')).ownerId),
      );
      if (mine === undefined || also === undefined) throw new Error('no workspace was made');
      const sub = await addMember(db(), mine, 'member');
      await addMember(db(), also, 'admin', sub);
      const credential = await credentialFor(suite.testApp, {
        type: 'member',
        sub,
        scope: memberScope,
      });

      const list = await call(listWorkspaces, {}, credential);
      const ids = list.ok ? list.message.workspaces.map(({ id }) => id) : [];
      expect(ids.sort()).toEqual([mine, also].sort());
      const read = await call(getWorkspace, { workspaceId: mine }, credential);
      expect(read).toMatchObject({ ok: true });
      const forbidden = { ok: false, error: { code: 'forbidden' } };
      const other = await call(getWorkspace, { workspaceId: theirs ?? '' }, credential);
      expect(other).toMatchObject(forbidden);

      // Only the role in that workspace counts.
      const name = 'Mine';
      const asMember = await call(updateWorkspace, { workspaceId: mine, name }, credential);
      expect(asMember).toMatchObject(forbidden);
      const asAdmin = await call(updateWorkspace, { workspaceId: also, name }, credential);
      expect(asAdmin).toMatchObject({ ok: true });
      expect(await call(createWorkspace, { name }, credential)).toMatchObject(forbidden);
    });

    // The rules below do not depend on the wire format.
    if (!isOwn) return;

    itHoldsFor(['', 'x'.repeat(256), 'W\r\nBcc: v@evil.com', 'W\u202efdp.exe'])(
      'have a name without control characters',
      async (name) => {
        const credential = await credentialFor(suite.testApp, { type: 'service', scope });
        const { ownerId: workspaceId } = await addWorkspace(db(), '');
        const refused = { ok: false, error: { code: 'invalid_argument', fields: ['name'] } };
        expect(await call(createWorkspace, { name }, credential)).toMatchObject(refused);
        const change = { workspaceId, name, updateMask: { paths: ['name'] } };
        expect(await call(updateWorkspace, change, credential)).toMatchObject(refused);
      },
    );

    it('are not found by an unknown id', async () => {
      const credential = await credentialFor(suite.testApp, { type: 'service', scope });
      const unknown = { workspaceId: 'ws_unknown', name: 'x' };
      const notFound = { ok: false, error: { code: 'not_found' } };
      expect(await call(getWorkspace, unknown, credential)).toMatchObject(notFound);
      expect(await call(updateWorkspace, unknown, credential)).toMatchObject(notFound);
      const events = await db()
        .selectFrom('audit_events')
        .selectAll()
        .where('target', '=', 'ws_unknown')
        .where('code', '=', 'ok')
        .execute();
      expect(events).toEqual([]);
    });
  });
});
