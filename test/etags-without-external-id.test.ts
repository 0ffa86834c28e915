// The entity tags and update times of users, identity providers, documents, folders and links.
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { IdentityProviderService } from '../gen/latchkey/identity/v1/provider_pb.js';
import { UserService } from '../gen/latchkey/identity/v1/user_pb.js';
import { DocumentService } from '../gen/latchkey/sharing/v1/document_pb.js';
import { FolderService } from '../gen/latchkey/sharing/v1/folder_pb.js';
import { LinkService } from '../gen/latchkey/sharing/v1/link_pb.js';
import { describeApp, type Suite } from './support/app-suite.ts';
import { everyScope } from './support/company-sign-in.ts';
import { makeFolder } from './support/folder-calls.ts';
import { Visitor } from './support/gate-visitor.ts';
import { managerCredential } from './support/manager-calls.ts';
import { describeTransports } from './support/matrix.ts';
import { addProvider } from './support/provider-rows.ts';
import { itHoldsFor } from './support/rule.ts';
import {
  blobDirOf,
  callSharingApi,
  filesUnder,
  keyOf,
  makeLink,
  upload,
} from './support/sharing-api.ts';
import { addUser } from './support/user-rows.ts';
import { millis, taggedCallsOf } from './support/versioned-resources.ts';

type Sent = Readonly<Record<'name' | 'etag' | 'code' | 'create_time' | 'update_time', string>> & {
  readonly status: number;
};

const users = UserService.method;
const providers = IdentityProviderService.method;
const documents = DocumentService.method;
const folders = FolderService.method;
const links = LinkService.method;

/** The kinds, and how a resource of each is made: its id, and who may change it. */
const kinds = {
  user: {
    ...{ get: users.getUser, update: users.updateUser, member: 'user', idField: 'userId' },
    make: async ({ app }: Suite) => (await addUser(app.inside.db, { kind: 'member' })).id,
  },
  'identity provider': {
    ...{ get: providers.getIdentityProvider, update: providers.updateIdentityProvider },
    ...{ member: 'provider', idField: 'providerId' },
    make: ({ app }: Suite) => addProvider(app.inside.db),
  },
  document: {
    ...{ get: documents.getDocument, update: documents.updateDocument },
    ...{ member: 'document', idField: 'documentId', ofWorkspace: true },
    make: async ({ testApp }: Suite) => (await upload(testApp, Buffer.from('Terms'))).id,
  },
  folder: {
    ...{ get: folders.getFolder, update: folders.updateFolder },
    ...{ member: 'folder', idField: 'folderId', ofWorkspace: true },
    make: async ({ testApp }: Suite) => (await makeFolder(testApp, `Folder ${next()}`)).id,
  },
  link: {
    ...{ get: links.getLink, update: links.updateLink },
    ...{ member: 'link', idField: 'linkId', ofWorkspace: true },
    make: async ({ testApp }: Suite) =>
      (await makeLink(testApp, (await upload(testApp, Buffer.from('Terms'))).id)).id,
  },
} as const;

let count = 0;
const next = () => `${process.pid}-${count++}`;

describeApp('the entity tag of a resource without an external id', (suite) => {
  describeTransports(suite, (transport) => {
    itHoldsFor(Object.entries(kinds), 5)(
      'changes with each change, and refuses a change of an earlier state',
      async (_, kind) => {
        const { testApp } = suite;
        const credential =
          'ofWorkspace' in kind ? keyOf(testApp) : await managerCredential(suite.app, everyScope);
        const calls = taggedCallsOf(suite.transport(transport), credential, kind);
        const id = await kind.make(suite);
        const [name, other] = [`Second ${next()}`, `Third ${next()}`];
        const first = await calls.get(id);
        expect(first.etag).toMatch(/^"[\w-]{27}"$/);
        expect(first.updateTime).toEqual(first.createTime);
        await setTimeout(5);
        const second = calls.resourceOf(await calls.update(id, { name, etag: first.etag }));
        expect(second.name).toBe(name);
        expect(second.etag).not.toBe(first.etag);
        const { etag, updateTime } = second;
        expect(millis(updateTime)).toBeGreaterThan(millis(first.updateTime));
        const same = calls.resourceOf(await calls.update(id, { name }));
        expect(same).toMatchObject({ etag, updateTime });
        const refused = { ok: false, error: { code: 'precondition_failed', grpc: 9 } };
        expect(await calls.update(id, { name: other, etag: first.etag })).toMatchObject(refused);
        const withHeader = (ifMatch: string) =>
          calls.update(id, { name: other }, { ...credential, ifMatch });
        expect(await withHeader(first.etag)).toMatchObject(refused);
        expect(await calls.get(id)).toMatchObject({ name, etag, updateTime });
        expect(calls.resourceOf(await withHeader(etag)).name).toBe(other);
      },
    );
  });

  it('of a document counts for its versions, its folder and its deletion', async () => {
    const { testApp } = suite;
    const folder = await makeFolder(testApp, 'Board');
    const { id } = await upload(testApp, Buffer.from('Terms'), 'terms.txt');
    type Tagged = Sent & { readonly version: number };
    const send = async (method: string, path: string, ifMatch = '*', body?: object) => {
      const response = await fetch(`${testApp.app.publicUrl}/api/v1${path}`, {
        method,
        headers: { ...keyOf(testApp), 'if-match': ifMatch, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as Tagged };
    };
    const sendVersion = async (ifMatch: string) => {
      const form = new FormData();
      form.append('file', new Blob(['Other terms']), 'terms.txt');
      const response = await fetch(`${testApp.app.publicUrl}/api/v1/documents/${id}/versions`, {
        method: 'POST',
        headers: { ...keyOf(testApp), 'if-match': ifMatch },
        body: form,
      });
      return { status: response.status, body: (await response.json()) as Tagged };
    };
    const read = async () => (await send('GET', `/documents/${id}`)).body;
    const first = await read();
    await setTimeout(5);
    const second = await sendVersion(first.etag);
    expect(second).toMatchObject({ status: 201, body: { version: 2 } });
    await setTimeout(5);
    const moved = await send('PATCH', `/documents/${id}`, second.body.etag, {
      folder_id: folder.id,
    });
    expect(new Set([first.etag, second.body.etag, moved.body.etag]).size).toBe(3);
    const times = [first, second.body, moved.body].map(({ update_time }) => update_time);
    expect(new Set(times).size).toBe(3);
    expect([...times].sort()).toEqual(times);

    const refused = { status: 412, body: { code: 'precondition_failed' } };
    const blobs = await filesUnder(blobDirOf(testApp));
    expect(await sendVersion(second.body.etag)).toMatchObject(refused);
    await expect.poll(() => filesUnder(blobDirOf(testApp))).toEqual(blobs);
    for (const stale of [first.etag, second.body.etag]) {
      const calls = [
        send('POST', `/documents/${id}/versions/1:restore`, stale, {}),
        send('DELETE', `/documents/${id}/versions/1`, stale),
        send('DELETE', `/documents/${id}`, stale),
      ];
      for (const answer of await Promise.all(calls)) expect(answer).toMatchObject(refused);
    }
    expect(await read()).toMatchObject({ etag: moved.body.etag, version: 2 });
    const restored = await send('POST', `/documents/${id}/versions/1:restore`, '*', {});
    expect(restored.body).toMatchObject({ version: 1 });
    const { etag, update_time } = await read();
    expect(Date.parse(update_time)).toBeGreaterThan(Date.parse(moved.body.update_time));
    expect(await send('DELETE', `/folders/${folder.id}`, '"x"')).toMatchObject(refused);
    expect((await send('DELETE', `/documents/${id}`, etag)).status).toBe(200);
    expect((await send('DELETE', `/folders/${folder.id}`)).status).toBe(200);
  });

  it('of a user changes with its state, and not with its password', async () => {
    const { app } = suite.testApp;
    const manager = await managerCredential(app, everyScope);
    const { id } = await addUser(app.inside.db, { kind: 'member' });
    const call = async (action: string, body: object = {}) => {
      const response = await fetch(`${app.publicUrl}/users/${id}${action}`, {
        method: action === '/password' ? 'PUT' : 'POST',
        headers: { ...manager, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(response.status, action).toBe(200);
      await setTimeout(5);
    };
    const read = async () => {
      const response = await fetch(`${app.publicUrl}/users/${id}`, { headers: manager });
      return (await response.json()) as Sent;
    };
    const { etag, update_time } = await read();
    await call('/password', { password: 'a new and much longer password' });
    expect(await read()).toMatchObject({ etag, update_time });
    const times = [update_time];
    for (const action of [':disable', ':enable', ':disable']) {
      await call(action);
      times.push((await read()).update_time);
    }
    await call(':disable');
    expect((await read()).update_time).toBe(times.at(-1));
    expect(new Set(times).size).toBe(4);
    expect([...times].sort()).toEqual(times);
  });

  it('of a link ignores views, and counts in a batch and a revocation', async () => {
    const { testApp } = suite;
    const { id: documentId } = await upload(testApp, Buffer.from('Terms'));
    const link = await makeLink(testApp, documentId);
    const read = async () =>
      (await callSharingApi<Sent & { view_count: number }>(testApp, 'GET', `/links/${link.id}`))
        .body;
    const { etag, create_time } = await read();
    const visitor = new Visitor(link);
    await visitor.asked();
    await visitor.get('/download');
    await expect.poll(async () => (await read()).view_count).toBe(1);
    expect(await read()).toMatchObject({ etag, update_time: create_time });
    await setTimeout(5);
    const change = (given: string, name: string) =>
      callSharingApi(testApp, 'POST', '/links:batchUpdate', {
        requests: [{ link_id: link.id, etag: given, update_mask: 'name', name }],
      });
    expect(await change(etag, 'Second')).toMatchObject({ status: 200 });
    expect(await change(etag, 'Third')).toMatchObject({
      ...{ status: 412, body: { detail: expect.stringContaining('requests[0]') } },
    });
    const revoke = (ifMatch: string) =>
      callSharingApi(testApp, 'DELETE', `/links/${link.id}`, undefined, {
        ...keyOf(testApp),
        'if-match': ifMatch,
      });
    expect(await revoke(etag)).toMatchObject({
      ...{ status: 412, body: { code: 'precondition_failed' } },
    });
    expect((await visitor.get()).status).toBe(200);
    const current = await read();
    expect(Date.parse(current.update_time)).toBeGreaterThan(Date.parse(create_time));
    await setTimeout(5);
    expect((await revoke(current.etag)).status).toBe(200);
    const { update_time } = await read();
    expect(Date.parse(update_time)).toBeGreaterThan(Date.parse(current.update_time));
  });
});
