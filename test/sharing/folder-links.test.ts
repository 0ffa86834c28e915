// The links to folders: how folders count them, and how links name their folders.
import { expect, it } from 'vitest';
import { describeApp } from '../support/app-suite.ts';
import { addDocument, type FolderFields, makeFolder, makeRoom } from '../support/folder-calls.ts';
import { roomsIn } from '../support/rooms.ts';
import { makeLink } from '../support/sharing-api.ts';

describeApp('links to folders', (suite) => {
  const { test, call } = roomsIn(suite);

  it('are counted up to 1,000, with revoked ones and without those to entries', async () => {
    const folder = await makeFolder(test(), 'Counted');
    expect(folder.link_count).toBe(0);
    const inner = await makeFolder(test(), 'Inner', folder.id);
    const document = await addDocument(test(), folder.id, 'Counted.txt');
    await makeLink(test(), document.id);
    await makeRoom(test(), inner.id);
    const { id } = await makeRoom(test(), folder.id);
    await makeRoom(test(), folder.id);
    await call('POST', `/links/${id}:revoke`, {});

    const counts = async () => {
      const got = await call<FolderFields>('GET', `/folders/${folder.id}`);
      const renamed = await call<FolderFields>('PATCH', `/folders/${folder.id}`, {});
      const listed = await call<{ folders: FolderFields[] }>('GET', '/folders?query=counted');
      return [got.body, renamed.body, ...listed.body.folders].map(({ link_count }) => link_count);
    };
    expect(await counts()).toEqual([2, 2, 2]);
    const { db } = suite.app.inside;
    const link = await db.selectFrom('links').selectAll().where('id', '=', id).executeTakeFirst();
    if (link === undefined) throw new Error('the link has no row');
    const rows = Array.from({ length: 1_000 }, (_, i) => ({
      ...{ ...link, id: `lnk_counted${i}`, slug: `counted${i}` },
    }));
    for (let i = 0; i < rows.length; i += 100) {
      await db
        .insertInto('links')
        .values(rows.slice(i, i + 100))
        .execute();
    }
    expect(await counts()).toEqual([1_000, 1_000, 1_000]);
  });

  it('name their folder, and old clients still read them', async () => {
    const folder = await makeFolder(test(), 'Named');
    const document = await addDocument(test(), folder.id, 'Old.txt');
    const room = await makeRoom(test(), folder.id);
    const link = await makeLink(test(), document.id);
    expect(room).toMatchObject({ document_id: '', folder_id: folder.id, folder_name: 'Named' });
    expect(link).toMatchObject({ document_id: document.id, folder_id: '', folder_name: '' });
    const listed = await call<{ links: { id: string }[] }>('GET', `/links?folder_id=${folder.id}`);
    expect(listed.body.links.map(({ id }) => id)).toEqual([room.id]);
    const found = await call<{ links: { id: string }[] }>('GET', '/links?query=named');
    expect(found.body.links.map(({ id }) => id)).toEqual([room.id]);
  });
});
