// Which entries of a room its readers can open, on each route.
import { expect, it } from 'vitest';
import { describeApp } from '../support/app-suite.ts';
import { addDocument, makeFolder, makeRoom, type RoomLink } from '../support/folder-calls.ts';
import { Visitor } from '../support/gate-visitor.ts';
import {
  byteRoutes,
  closed,
  entered,
  open,
  report,
  roomsIn,
  statusesOf,
} from '../support/rooms.ts';
import { findFailures } from '../support/rule.ts';
import { makeLink, otherWorkspace, upload } from '../support/sharing-api.ts';
import { expectWithinOneSecond } from '../support/within-one-second.ts';

describeApp('a room', (suite) => {
  const { test, call, filled } = roomsIn(suite);

  it('is closed for each other entry, on each route', async () => {
    const { root, plan, terms, secret, outside, link } = await filled();
    const other = await filled();
    const { sub } = other;
    const workspaceId = await otherWorkspace(test(), 'ws_rooms');
    const { db } = suite.app.inside;
    const foreign = { id: 'fld_foreign', workspace_id: workspaceId, parent_id: null };
    await db
      .insertInto('folders')
      .values({ ...foreign, name: 'F', name_key: 'f', create_time: 1 })
      .execute();
    const row = await db
      .selectFrom('documents')
      .selectAll()
      .where('id', '=', plan.id)
      .executeTakeFirstOrThrow();
    const alien = {
      ...row,
      id: 'doc_alien',
      workspace_id: workspaceId,
      folder_id: 'fld_foreign',
      blob_id: 'b',
    };
    await db.insertInto('documents').values(alien).execute();
    const top = await upload(test(), Buffer.from('Top'), 'Top.txt');
    const hidden = await addDocument(test(), root.id, 'Hidden.txt');
    const attic = await makeFolder(test(), 'Attic', root.id);
    const below = await makeFolder(test(), 'Below', attic.id);
    const stored = await addDocument(test(), below.id, 'Stored.txt');
    const rules = [
      { document_id: hidden.id, hidden: true },
      { folder_id: attic.id, hidden: true },
    ];
    await call('PATCH', `/links/${link.id}`, { entry_rules: rules });
    const single = await makeLink(test(), plan.id, { allow_download: true });
    const visitor = await entered(link);
    const guest = await entered(single as RoomLink);
    const stranger = new Visitor(await makeRoom(test(), root.id, { password: 'correct horse' }));
    expect(await statusesOf(visitor, plan)).toEqual(open);
    expect((await guest.get('/file')).status).toBe(200);

    const cases: [string, () => Promise<number[]>, number[]][] = [
      ['beside the folder', () => statusesOf(visitor, secret), closed],
      ['at the top level', () => statusesOf(visitor, top), closed],
      ['in another room', () => statusesOf(visitor, other.terms), closed],
      ['of another workspace', () => statusesOf(visitor, alien), closed],
      ['hidden', () => statusesOf(visitor, hidden), closed],
      ['in a hidden folder', () => statusesOf(visitor, stored), closed],
      ['a folder as document', () => statusesOf(visitor, { id: sub.id }), closed],
      ['an id of nothing', () => statusesOf(visitor, { id: 'doc_0' }), closed],
      ['a strange id', () => statusesOf(visitor, { id: `..%2F${plan.id}` }), closed],
      ['an id with NUL', () => statusesOf(visitor, { id: `${plan.id}%00` }), closed],
      ['through a link to a document', () => statusesOf(guest, plan), closed],
      ['behind a gate', () => statusesOf(stranger, terms), [200, 403, 403, 403, 403, 403]],
    ];
    for (const [status, route] of [
      [404, '/folders/a%00'],
      [404, '?page_token=%00'],
      [200, '?query=%00'],
    ] as const) {
      cases.push([route, async () => [(await visitor.get(route)).status], [status]]);
    }
    for (const route of [...byteRoutes, '/view'] as const) {
      const init = route === '/view' ? report : {};
      cases.push([
        `${route} of the link`,
        async () => [(await visitor.get(route, init)).status],
        [404],
      ]);
    }
    for (const id of [outside.id, sub.id, attic.id, below.id, 'fld_foreign', 'fld_0', plan.id]) {
      cases.push([
        `folder ${id}`,
        async () => [(await visitor.get(`/folders/${id}`)).status],
        [404],
      ]);
    }
    cases.push([
      'a folder of a document',
      async () => [(await guest.get(`/folders/${root.id}`)).status],
      [404],
    ]);

    const failures = await findFailures(cases, async (_name, run, expected) =>
      expect(await run()).toEqual(expected),
    );
    expect(failures).toEqual([]);
    expect((await stranger.get(`/documents/${terms.id}`)).text).toContain('type="password"');
    const { text } = await visitor.get();
    for (const { id } of [hidden, attic]) expect(text).not.toContain(id);
  });

  it('loses an entry within a second, and gets it back', async () => {
    const { root, sub, outside, terms, link } = await filled();
    const visitor = await entered(link);
    const { db } = suite.app.inside;
    const becomes = (expected: number[]) =>
      expectWithinOneSecond(db, () => statusesOf(visitor, terms), expected);
    const steps: [string, string, object, number[]][] = [
      ['PATCH', `/documents/${terms.id}`, { folder_id: outside.id }, closed],
      ['PATCH', `/documents/${terms.id}`, { folder_id: sub.id }, open],
      ['PATCH', `/folders/${sub.id}`, { parent_id: outside.id }, closed],
      ['PATCH', `/folders/${sub.id}`, { parent_id: root.id }, open],
      [
        'PATCH',
        `/links/${link.id}`,
        { entry_rules: [{ folder_id: sub.id, hidden: true }] },
        closed,
      ],
      ['PATCH', `/links/${link.id}`, { entry_rules: [] }, open],
      [
        'PATCH',
        `/links/${link.id}`,
        { entry_rules: [{ document_id: terms.id, hidden: true }] },
        closed,
      ],
      [
        'PATCH',
        `/links/${link.id}`,
        { entry_rules: [{ document_id: terms.id, allow_download: false }] },
        [200, 200, 200, 403, 206, 204],
      ],
      [
        'PATCH',
        `/links/${link.id}`,
        { allow_download: false, entry_rules: [{ folder_id: sub.id, allow_download: true }] },
        open,
      ],
      ['DELETE', `/documents/${terms.id}`, {}, closed],
    ];
    await becomes(open);
    for (const [method, route, body, expected] of steps) {
      const { status } = await call(method, route, method === 'DELETE' ? undefined : body);
      expect(status, `${method} ${route}`).toBe(200);
      await becomes(expected);
    }
  });
});
