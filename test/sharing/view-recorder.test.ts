// Writing views: in batches, by several processes, and while the database is unavailable.
import { expect, it, onTestFinished } from 'vitest';
import { createViewRecorder, type ViewRecorder } from '../../src/sharing/views/view-recorder.ts';
import type { Database, ViewPageRow } from '../../src/storage/schema/schema.ts';
import { migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { addLink } from '../support/link-views.ts';
import { describeFeature } from '../support/matrix.ts';

const start = 1_795_000_000_000;
const hour = 3_600_000;

const row = (viewId: string, visit: string, page: number, duration_ms: number): ViewPageRow => ({
  view_id: viewId,
  visit,
  page,
  duration_ms,
});

/** Rows for that many pages of one visit. */
const rowsOf = (viewId: string, visit: string, count: number, duration_ms = 1) =>
  Array.from({ length: count }, (_, i) => row(viewId, visit, i + 1, duration_ms));

describeFeature('the view recorder', (dialect) => {
  /** A database with views that began an hour ago. */
  async function open(count: number) {
    const url = await migratedDatabaseUrl(dialect);
    const db = await openUntilFinished(url);
    const link_id = await addLink(db);
    const ids = Array.from({ length: count }, (_, i) => `viw_${i}`);
    const view = { link_id, email: '', email_verified: 0, create_time: start, duration_ms: 0 };
    for (const id of ids) {
      await db
        .insertInto('views')
        .values({ ...view, id, email_verified: 0 })
        .execute();
    }
    return { url, db, ids };
  }

  function recorderOn(db: Database) {
    const warnings: string[] = [];
    const warn = (_facts: object, message: string) => warnings.push(message);
    const recorder = createViewRecorder({ db, now: () => start + hour, warn });
    onTestFinished(() => recorder.stop());
    return { ...recorder, warnings };
  }

  const durations = async (db: Database) => {
    const rows = await db.selectFrom('views').select('duration_ms').orderBy('id').execute();
    return rows.map(({ duration_ms }) => duration_ms);
  };
  const countRows = async (db: Database) =>
    (await db.selectFrom('view_pages').select('page').execute()).length;

  it('writes a view within seconds', async () => {
    const { db, ids } = await open(3);
    const recorder = recorderOn(db);

    for (const id of ids) recorder.record([row(id, 'a', 1, 1_000), row(id, 'a', 2, 500)]);

    expect(await durations(db)).toEqual([0, 0, 0]);
    await expect.poll(() => durations(db)).toEqual([1_500, 1_500, 1_500]);
  });

  it('adds up correctly if two processes write the same views at once', async () => {
    const { url, db, ids } = await open(5);
    const recorders: ViewRecorder[] = [recorderOn(db), recorderOn(await openUntilFinished(url))];

    for (let round = 1; round <= 20; round++) {
      for (const [i, { record }] of recorders.entries()) {
        for (const id of ids) record([row(id, `visit ${i}`, 1, 1_000 * round)]);
      }
      await Promise.all(recorders.map(({ flush }) => flush()));
      expect(await durations(db)).toEqual(ids.map(() => 2_000 * round));
    }
  });

  it('waits while the database fails, and warns the operator once', async () => {
    const { db, ids } = await open(1);
    const [id = ''] = ids;
    const recorder = recorderOn(db);
    await db.schema.alterTable('view_pages').renameTo('away').execute();
    recorder.record([row(id, 'a', 1, 1_000), row(id, 'a', 2, 1_000)]);
    await recorder.flush();
    recorder.record([row(id, 'a', 2, 3_000), row(id, 'a', 1, 10)]);
    await recorder.flush();
    expect(recorder.warnings).toEqual(['cannot write views; trying again']);
    expect(await durations(db)).toEqual([0]);

    await db.schema.alterTable('away').renameTo('view_pages').execute();
    await recorder.flush();

    expect(await durations(db)).toEqual([4_000]);
  });

  it('uses bounded memory, in total and for each view', async () => {
    const { db, ids } = await open(30);
    const recorder = recorderOn(db);
    const rows = (id: string, visit: string) =>
      Array.from({ length: 1_000 }, (_, page) => row(id, visit, page, 1));

    for (const id of ids) recorder.record(rows(id, 'a'));
    await recorder.flush();
    expect(await countRows(db)).toBe(20_000);

    const [first = ''] = ids;
    for (let i = 0; i < 8; i++) {
      recorder.record(rows(first, `more ${i}`));
      await recorder.flush();
    }
    expect(await countRows(db)).toBe(21_000);
  });

  it('keeps the time of other readers while one view is reported constantly', async () => {
    const { db, ids } = await open(41);
    const [stranger = '', ...others] = ids;
    const recorder = recorderOn(db);

    for (let i = 0; i < 72; i++) recorder.record(rowsOf(stranger, `made up ${i}`, 500));
    for (const id of others) recorder.record([row(id, 'a', 1, 3_000)]);
    await recorder.flush();

    const kept = (await durations(db)).filter((duration) => duration === 3_000);
    expect(kept).toHaveLength(40);
    expect(await countRows(db)).toBe(1_040);
  });

  it('keeps the time of other readers while many views are reported in full', async () => {
    const { db, ids } = await open(41);
    const [others, strangers] = [ids.slice(0, 16), ids.slice(16)];
    const recorder = recorderOn(db);

    for (const id of strangers) recorder.record(rowsOf(id, 'made up', 1_000));
    for (const id of others) recorder.record([row(id, 'a', 1, 3_000)]);
    await recorder.flush();

    const kept = (await durations(db)).filter((duration) => duration === 3_000);
    expect(kept).toHaveLength(16);
  });

  it('keeps 1,000 page rows per view, whose time still increases', async () => {
    const { db, ids } = await open(1);
    const [id = ''] = ids;
    const recorder = recorderOn(db);
    for (let i = 0; i < 3; i++) {
      recorder.record(rowsOf(id, `visit ${i}`, 600));
      await recorder.flush();
    }
    expect([await countRows(db), await durations(db)]).toEqual([1_000, [1_000]]);

    recorder.record(rowsOf(id, 'visit 0', 600, 11));
    await recorder.flush();

    expect([await countRows(db), await durations(db)]).toEqual([1_000, [7_000]]);
  });

  it('never makes a view shorter, nor longer than the time since it began', async () => {
    const { db, ids } = await open(1);
    const [id = ''] = ids;
    const recorder = recorderOn(db);
    recorder.record([row(id, 'a', 1, hour - 1)]);
    await recorder.flush();
    recorder.record([row(id, 'b', 1, hour)]);
    await recorder.flush();
    expect(await durations(db)).toEqual([hour]);

    const behind = createViewRecorder({ db, now: () => start - 1, warn: () => {} });
    behind.record([row(id, 'c', 1, 5)]);
    await behind.stop();

    expect(await durations(db)).toEqual([hour]);
  });
});
