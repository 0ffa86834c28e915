// A document with many views is removed at once. Its rows are deleted later, in slices.
import { describe, expect, it } from 'vitest';
import { insertLink } from '../../src/sharing/links/store.ts';
import { deleteRemovedRows } from '../../src/sharing/removal/store.ts';
import { insertView } from '../../src/sharing/views/store.ts';
import { transact } from '../../src/storage/database.ts';
import type { Database } from '../../src/storage/schema/schema.ts';
import { describeApp } from '../support/app-suite.ts';
import { migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { addViews } from '../support/link-rows.ts';
import { addLink, openLink, readPages, reportView, viewsOf } from '../support/link-views.ts';
import { describeDialects } from '../support/matrix.ts';
import {
  blobDirOf,
  callSharingApi,
  filesUnder,
  type LinkFields,
  makeLink,
  makePng,
  upload,
} from '../support/sharing-api.ts';

const tables = ['documents', 'links', 'views', 'view_pages'] as const;

async function countRows(db: Database): Promise<number[]> {
  const counts: number[] = [];
  for (const table of tables) {
    const rows = await db
      .selectFrom(table)
      .select((eb) => eb.fn.countAll().as('rows'))
      .executeTakeFirstOrThrow();
    counts.push(Number(rows.rows));
  }
  return counts;
}

const views = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ time: i + 1, pages: { 1: 5, 2: 7 } }));

describeApp('a document with many views', (suite) => {
  const test = () => suite.testApp;
  const call = async (method: string, route: string, body?: unknown) =>
    (await callSharingApi(test(), method, route, body)).status;
  const ids = async (list: 'documents' | 'links', query = '') => {
    const { body } = await callSharingApi<Record<string, { id: string }[]>>(
      test(),
      'GET',
      `/${list}${query}`,
    );
    return body[list]?.map(({ id }) => id);
  };
  async function usage(): Promise<object | undefined> {
    const query = test().app.inside.db.selectFrom('workspace_usage').selectAll();
    return query.where('workspace_id', '=', test().env.WORKSPACE_ID ?? '').executeTakeFirst();
  }

  async function addCounted(link: LinkFields, count: number): Promise<void> {
    await addViews(test(), link, views(count));
    const update = test().app.inside.db.updateTable('workspace_usage');
    await update
      .set((eb) => ({ views: eb('views', '+', count) }))
      .where('workspace_id', '=', test().env.WORKSPACE_ID ?? '')
      .execute();
  }

  it('disappears with its links and its share of the quota when it is deleted', async () => {
    const { db } = test().app.inside;
    const other = await upload(test(), makePng(1, 1), 'other.png');
    const otherLink = await makeLink(test(), other.id);
    await addViews(test(), otherLink, views(1));
    const before = { rows: await countRows(db), usage: await usage() };
    const files = await filesUnder(blobDirOf(test()));

    const document = await upload(test(), makePng(1, 1), 'watched.png');
    const link = await makeLink(test(), document.id, { email_required: true });
    await makeLink(test(), document.id);
    const reader = await openLink(link);
    await addCounted(link, 300);
    expect(await call('DELETE', `/documents/${document.id}`)).toBe(200);

    expect(await usage()).toEqual(before.usage);
    await expect.poll(() => filesUnder(blobDirOf(test()))).toEqual(files);
    expect(await ids('documents')).toEqual([other.id]);
    expect(await ids('links')).toEqual([otherLink.id]);
    expect(await ids('links', `?document_id=${document.id}`)).toEqual([]);
    for (const [method, route] of [
      ['GET', `/documents/${document.id}`],
      ['PATCH', `/documents/${document.id}`],
      ['DELETE', `/documents/${document.id}`],
      ['GET', `/documents/${document.id}/file`],
      ['GET', `/links/${link.id}`],
      ['PATCH', `/links/${link.id}`],
      ['DELETE', `/links/${link.id}`],
      ['GET', `/links/${link.id}/views`],
    ] as const) {
      const body = method === 'PATCH' ? { name: 'new' } : undefined;
      expect(await call(method, route, body), `${method} ${route}`).toBe(404);
    }
    expect(await call('POST', '/links', { document_id: document.id })).toBe(404);
    expect((await fetch(link.url)).status).toBe(404);
    expect((await fetch(link.url, { headers: { cookie: reader } })).status).toBe(404);
    expect((await reportView(link, reader, readPages('1:0'))).status).toBe(404);

    await test().app.inside.deleteOldRows();
    expect(await countRows(db)).toEqual(before.rows);
    expect(await usage()).toEqual(before.usage);
    expect(await viewsOf(test(), otherLink)).toHaveLength(1);
  });

  it('is deleted by one of several calls, so that its quota is returned once', async () => {
    const before = await usage();
    const document = await upload(test(), makePng(1, 1), 'raced.png');
    await addCounted(await makeLink(test(), document.id), 300);
    const calls = Array.from({ length: 4 }, () => call('DELETE', `/documents/${document.id}`));
    expect((await Promise.all(calls)).sort()).toEqual([200, 404, 404, 404]);
    expect(await usage()).toEqual(before);
  });
});

describeDialects('a removed document', (dialect) => {
  async function open(viewCount: number) {
    const db = await openUntilFinished(await migratedDatabaseUrl(dialect));
    const linkId = await addLink(db);
    const common = { link_id: linkId, email: '', email_verified: 0 as const, duration_ms: 1 };
    for (let i = 0; i < viewCount; i++) {
      await db
        .insertInto('views')
        .values({ ...common, id: `viw_${i}`, create_time: i })
        .execute();
      await db
        .insertInto('view_pages')
        .values([1, 2].map((page) => ({ view_id: `viw_${i}`, visit: 'a', page, duration_ms: 1 })))
        .execute();
    }
    await transact(db, async (trx) => {
      await trx.updateTable('documents').set({ remove_time: 1 }).execute();
    });
    return { db, linkId };
  }
  const deleteSlice = (db: Database, limit: number) =>
    transact(db, (trx) => deleteRemovedRows(trx, limit));

  describe('is deleted with its views', () => {
    it('in slices, each view with its pages', async () => {
      const { db } = await open(5);
      // A view and its pages are three rows.
      expect(await deleteSlice(db, 6)).toBe(6);
      expect(await countRows(db)).toEqual([1, 1, 3, 6]);
      expect(await deleteSlice(db, 4)).toBe(6);
      expect(await countRows(db)).toEqual([1, 1, 1, 2]);
      expect(await deleteSlice(db, 6)).toBe(5);
      expect(await countRows(db)).toEqual([0, 0, 0, 0]);
      expect(await deleteSlice(db, 6)).toBe(0);
    });
  });

  it('gets no further link and no further view', async () => {
    const { db, linkId } = await open(0);
    const { view_count: _, ...link } = await db
      .selectFrom('links')
      .selectAll()
      .executeTakeFirstOrThrow();
    const row = { ...link, id: 'lnk_2', slug: 'other', view_count: 0 };
    expect(await transact(db, (trx) => insertLink(trx, row))).toBe(false);
    const view = { id: 'viw_1', link_id: linkId, email: '', email_verified: 0 as const };
    const times = { create_time: 1, duration_ms: 0 };
    expect(await transact(db, (trx) => insertView(trx, { ...view, ...times }))).toBe('no link');
    const { view_count } = await db.selectFrom('links').selectAll().executeTakeFirstOrThrow();
    expect(view_count).toBe(0);
  });
});
