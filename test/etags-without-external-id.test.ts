// The entity tags and update times of users, identity providers, documents, folders and links.
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { describeAppOnSqlite } from './support/app-suite.ts';
import { everyScope } from './support/company-sign-in.ts';
import { makeFolder } from './support/folder-calls.ts';
import { Visitor } from './support/gate-visitor.ts';
import { managerCredential } from './support/manager-calls.ts';
import { addProvider } from './support/provider-rows.ts';
import {
  blobDirOf,
  callSharingApi,
  filesUnder,
  keyOf,
  makeLink,
  upload,
} from './support/sharing-api.ts';
import { addUser } from './support/user-rows.ts';

type Sent = Readonly<Record<'name' | 'etag' | 'code' | 'create_time' | 'update_time', string>> & {
  readonly status: number;
};

describeAppOnSqlite('the entity tag of a resource without an external id', (suite) => {
  it('changes with each change, and refuses a change of an earlier state', async () => {
    const { testApp } = suite;
    const { app } = testApp;
    const user = await addUser(app.inside.db, { kind: 'member' });
    const { id: documentId } = await upload(testApp, Buffer.from('Terms'));
    const { id: linkId } = await makeLink(testApp, documentId);
    const manager = await managerCredential(app, everyScope);
    const resources = [
      [`/users/${user.id}`, manager],
      [`/identity-providers/${await addProvider(app.inside.db)}`, manager],
      [`/api/v1/links/${linkId}`, keyOf(testApp)],
      [`/api/v1/documents/${documentId}`, keyOf(testApp)],
      [`/api/v1/folders/${(await makeFolder(testApp, 'First')).id}`, keyOf(testApp)],
    ] as const;
    for (const [path, credential] of resources) {
      const send = async (body?: object, headers: Record<string, string> = {}) => {
        const response = await fetch(app.publicUrl + path, {
          method: body === undefined ? 'GET' : 'PATCH',
          headers: { ...credential, 'content-type': 'application/json', ...headers },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const answer = (await response.json()) as Record<string, string>;
        return { status: response.status, ...answer } as Sent;
      };
      const first = await send();
      expect(first.etag, path).toMatch(/^"[\w-]{27}"$/);
      expect(first.update_time, path).toBe(first.create_time);
      await setTimeout(5);
      const second = await send({ name: 'Second', etag: first.etag });
      expect(second).toMatchObject({ status: 200, name: 'Second' });
      expect(second.etag).not.toBe(first.etag);
      const { etag, update_time } = second;
      expect(Date.parse(update_time), path).toBeGreaterThan(Date.parse(first.update_time));
      expect(await send({ name: 'Second' })).toMatchObject({ etag, update_time });
      const refused = { status: 412, code: 'precondition_failed' };
      expect(await send({ name: 'Third', etag: first.etag }), path).toMatchObject(refused);
      const stale = { 'if-match': first.etag };
      expect(await send({ name: 'Third' }, stale), path).toMatchObject(refused);
      expect(await send()).toMatchObject({ name: 'Second', etag, update_time });
      const current = { 'if-match': second.etag };
      expect(await send({ name: 'Third' }, current)).toMatchObject({ name: 'Third' });
    }
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
