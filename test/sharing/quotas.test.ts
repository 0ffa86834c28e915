// Limits on the bytes, documents, links and views of a workspace.
import { Client, credentials } from '@grpc/grpc-js';
import { expect, it, onTestFinished } from 'vitest';
import { WorkspaceService } from '../../gen/latchkey/sharing/v1/workspace_pb.js';
import { describeApp } from '../support/app-suite.ts';
import {
  openStreamTransports,
  startGrpcUpload,
  untilFinished,
} from '../support/document-streams.ts';
import { openLink, reportView, visit } from '../support/link-views.ts';
import { describeTransports } from '../support/matrix.ts';
import { addMember, credentialFor } from '../support/member-rows.ts';
import { addWorkspace } from '../support/owner-rows.ts';
import { bearer, blobDirOf, filesUnder } from '../support/sharing-api.ts';

const { getWorkspace, createWorkspace, updateWorkspace } = WorkspaceService.method;
const scope = 'workspaces:read workspaces:write';
const gib = 1024 ** 3;

describeApp('the quota of a workspace', (suite) => {
  const test = () => suite.testApp;

  /** A workspace with a quota, and calls with its API key. */
  async function limited(quota: Record<string, number>) {
    const { ownerId: id, text } = await addWorkspace(
      suite.app.inside.db,
      'documents:read documents:write links:read links:write',
    );
    const key = bearer(text);
    const staff = await credentialFor(test(), { type: 'staff', scope });
    const url = `${suite.app.publicUrl}/workspaces/${id}`;
    const json = { 'content-type': 'application/json' };
    const changed = await fetch(url, {
      method: 'PATCH',
      headers: { ...staff, ...json },
      body: JSON.stringify({ quota }),
    });
    expect(changed.status).toBe(200);
    const usage = async () =>
      ((await (await fetch(url, { headers: staff })).json()) as { usage: object }).usage;
    const send = async <T>(method: string, route: string, body?: unknown) => {
      const response = await fetch(`${suite.app.publicUrl}/api/v1${route}`, {
        method,
        headers: { ...key, ...(body === undefined ? {} : json) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      // The caller chooses the type that the route returns.
      return { status: response.status, body: (await response.json()) as T };
    };
    const transports = untilFinished(openStreamTransports(suite.app));
    const upload = (size: number, transport = transports[0]) => {
      if (transport === undefined) throw new Error('no transport');
      return transport.upload([{ file: Buffer.alloc(size, 'x') }], key);
    };
    return { id, key, staff, usage, send, transports, upload };
  }

  const refusal = (name: string) => ({
    ok: false,
    error: { code: 'conflict', message: expect.stringContaining(name) },
  });
  const files = () => filesUnder(blobDirOf(test()));

  it('limits the bytes of all documents, and frees those of a deleted one', async () => {
    const { usage, send, transports, upload } = await limited({ bytes_max: 1_000 });
    const first = await upload(600);
    if (!first.ok) throw new Error(first.error.message);
    const before = await files();
    for (const transport of transports) {
      expect(await upload(401, transport), transport.name).toMatchObject(
        refusal('bytes_max (1000)'),
      );
    }
    await expect.poll(files).toEqual(before);
    expect(await usage()).toEqual({ bytes: 600, documents: 1, links: 0, views: 0 });
    expect(await upload(400)).toMatchObject({ ok: true });
    expect(await upload(1)).toMatchObject(refusal('bytes_max (1000)'));

    expect((await send('DELETE', `/documents/${first.message.id}`)).status).toBe(200);

    expect(await usage()).toEqual({ bytes: 400, documents: 1, links: 0, views: 0 });
    expect(await upload(600)).toMatchObject({ ok: true });
  });

  it('limits the bytes of all versions, and a refused one leaves nothing', async () => {
    const { key, usage, send, upload } = await limited({ bytes_max: 1_000 });
    const stored = await upload(600);
    if (!stored.ok) throw new Error(stored.error.message);
    const route = `/documents/${stored.message.id}`;
    const add = async (size: number) => {
      const body = new FormData();
      body.set('file', new Blob([Buffer.alloc(size, 'y')]), 'next.bin');
      const url = `${suite.app.publicUrl}/api/v1${route}/versions`;
      const answer = await fetch(url, { method: 'POST', headers: key, body });
      return { status: answer.status, body: await answer.json() };
    };
    const before = await files();
    const read = async () => [await send('GET', route), await send('GET', `${route}/versions`)];
    const document = await read();

    const refused = await add(401);

    expect(refused).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(JSON.stringify(refused.body)).toContain('bytes_max (1000)');
    await expect.poll(files).toEqual(before);
    expect(await read()).toEqual(document);
    expect(await usage()).toEqual({ bytes: 600, documents: 1, links: 0, views: 0 });
    expect(await add(400)).toMatchObject({ status: 201, body: { version: 2 } });
    expect(await usage()).toMatchObject({ bytes: 1_000 });
  });

  it('holds for simultaneous uploads, which are stored completely or not at all', async () => {
    const { usage, upload } = await limited({ bytes_max: 10_000, documents_max: 5 });
    const before = (await files()).length;
    const answers = await Promise.all(Array.from({ length: 20 }, () => upload(1_000)));
    expect(answers.filter(({ ok }) => ok)).toHaveLength(5);
    expect(await usage()).toEqual({ bytes: 5_000, documents: 5, links: 0, views: 0 });
    await expect.poll(async () => (await files()).length).toBe(before + 5);
  });

  it('refuses an upload before its bytes are sent if it is used up', async () => {
    const { key } = await limited({ documents_max: 0 });
    const client = new Client(suite.app.grpcAddress, credentials.createInsecure());
    onTestFinished(() => client.close());
    const { call, answer } = startGrpcUpload(client, key);
    call.on('error', () => {});
    call.write({ name: 'Never sent' });
    expect(await answer).toMatchObject(refusal('documents_max (0)'));
  });

  it('limits the number of links, including revoked ones', async () => {
    const { usage, send, upload } = await limited({ links_max: 3 });
    const document = await upload(10);
    if (!document.ok) throw new Error(document.error.message);
    const create = () =>
      send<{ id: string; detail: string }>('POST', '/links', { document_id: document.message.id });
    const answers = await Promise.all(Array.from({ length: 8 }, create));
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(3);
    await send('DELETE', `/links/${made[0]?.body.id}`);
    const refused = await create();
    expect([refused.status, refused.body]).toMatchObject([
      409,
      { code: 'conflict', detail: expect.stringContaining('links_max (3)') },
    ]);
    expect(await usage()).toEqual({ bytes: 10, documents: 1, links: 3, views: 0 });
    // Two simultaneous deletions free the bytes once.
    await Promise.all([1, 2].map(() => send('DELETE', `/documents/${document.message.id}`)));
    expect(await usage()).toEqual({ bytes: 0, documents: 0, links: 0, views: 0 });
  });

  it('drops further views, but still opens the document', async () => {
    const { usage, send, upload } = await limited({ views_max: 2 });
    const document = await upload(10);
    if (!document.ok) throw new Error(document.error.message);
    const body = { document_id: document.message.id, email_required: true };
    const { body: link } = await send<Parameters<typeof openLink>[0]>('POST', '/links', body);
    for (let i = 0; i < 4; i++) {
      const cookie = await openLink(link, `reader${i}@example.com`);
      expect((await reportView(link, cookie, { visit, pages: '0:0' })).status).toBe(204);
      expect((await fetch(link.url, { headers: { cookie } })).status).toBe(200);
    }
    expect(await usage()).toEqual({ bytes: 10, documents: 1, links: 1, views: 2 });
    expect((await send('GET', `/links/${link.id}`)).body).toMatchObject({ view_count: 2 });
    await send('DELETE', `/documents/${document.message.id}`);
    expect(await usage()).toEqual({ bytes: 0, documents: 0, links: 0, views: 0 });
  });

  it('must be a number of bytes', async () => {
    const { id, staff } = await limited({});
    for (const bytes of [-1, 0.5, 2 ** 53]) {
      const answer = await fetch(`${suite.app.publicUrl}/workspaces/${id}`, {
        method: 'PATCH',
        headers: { ...staff, 'content-type': 'application/json' },
        body: JSON.stringify({ quota: { bytes_max: bytes } }),
      });
      expect([answer.status, await answer.json()], String(bytes)).toMatchObject([
        400,
        { errors: [{ field: 'quota.bytes_max' }] },
      ]);
    }
  });

  describeTransports(suite, (name, isOwn) => {
    const call: ReturnType<typeof suite.transport>['call'] = (method, request, credential) =>
      suite.transport(name).call(method, request, credential);

    it('is set by clients and staff, and defaults to the setting', async () => {
      const standard = { documentsMax: 100_000, linksMax: 100_000, viewsMax: 1_000_000 };
      for (const type of ['service', 'staff'] as const) {
        const credential = await credentialFor(test(), { type, scope });
        const made = await call(
          createWorkspace,
          { name: 'One', quota: { bytesMax: 5 * 1024 * gib } },
          credential,
        );
        if (!made.ok) throw new Error(made.error.message);
        expect(made.message.workspace).toMatchObject({
          quota: { bytesMax: 5 * 1024 * gib, ...standard },
          usage: { bytes: 0, documents: 0, links: 0, views: 0 },
        });
        const workspaceId = made.message.workspace?.id ?? '';
        const change = { workspaceId, quota: { documentsMax: 7 } };
        expect(await call(updateWorkspace, change, credential)).toMatchObject({
          message: {
            workspace: {
              name: 'One',
              quota: { ...standard, bytesMax: 100 * gib, documentsMax: 7 },
            },
          },
        });
      }
    });

    // The rules below do not depend on the wire format.
    if (!isOwn) return;

    it('is visible to members, who cannot set it', async () => {
      const { id: workspaceId } = await limited({ documents_max: 7 });
      for (const role of ['owner', 'admin'] as const) {
        const sub = await addMember(suite.app.inside.db, workspaceId, role);
        const member = await credentialFor(test(), { type: 'member', sub, scope });
        expect(
          await call(updateWorkspace, { workspaceId, quota: { documentsMax: 8 } }, member),
        ).toMatchObject({ ok: false, error: { code: 'forbidden' } });
        expect(await call(updateWorkspace, { workspaceId, name: 'Ours' }, member)).toMatchObject({
          ok: true,
        });
        expect(await call(getWorkspace, { workspaceId }, member)).toMatchObject({
          message: { workspace: { name: 'Ours', quota: { documentsMax: 7 } } },
        });
      }
    });
  });
});
