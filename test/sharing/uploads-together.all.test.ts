// Uploads that arrive at the same time share commits, and nothing else.
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it, onTestFinished, test } from 'vitest';
import { transact } from '../../src/storage/database.ts';
import type { Database } from '../../src/storage/schema/schema.ts';
import { openStreamTransports, untilFinished } from '../support/document-streams.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { describeDialects } from '../support/matrix.ts';
import {
  blobDirOf,
  callSharingApi,
  filesUnder,
  keyOf,
  sha256,
  storedState,
} from '../support/sharing-api.ts';

type Answer = Awaited<ReturnType<ReturnType<typeof openStreamTransports>[number]['upload']>>;

/** Uploads the files at the same time, over every transport in turn. */
async function uploadTogether(app: TestApp, files: readonly Buffer[]): Promise<Answer[]> {
  const transports = untilFinished(openStreamTransports(app.app));
  const answers = files.map((file, i) =>
    transports[i % transports.length]?.upload([{ file }], keyOf(app)),
  );
  return (await Promise.all(answers)).filter((answer) => answer !== undefined);
}

const filesOf = (count: number) =>
  Array.from({ length: count }, (_, i) => Buffer.alloc(10_000, `file ${i} `));

async function digestsIn(db: Database): Promise<string[]> {
  const rows = await db.selectFrom('documents').select('sha256').execute();
  return rows.map((row) => row.sha256).sort();
}

const acceptedOf = (files: readonly Buffer[], answers: readonly Answer[]) =>
  files
    .filter((_, i) => answers[i]?.ok)
    .map(sha256)
    .sort();

describeDialects('uploads at the same time', (dialect) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startTestApp({ dialect });
  });
  afterEach(() => app.remove());

  it('fill the quota exactly, and those above it fail alone', async () => {
    const { db } = app.app.inside;
    await db.updateTable('workspaces').set({ documents_max: 7 }).execute();
    const files = filesOf(20);

    const answers = await uploadTogether(app, files);

    expect(answers.filter(({ ok }) => ok)).toHaveLength(7);
    for (const answer of answers) {
      if (!answer.ok) expect(answer.error.code).toBe('conflict');
    }
    expect(await digestsIn(db)).toEqual(acceptedOf(files, answers));
    const usage = await db.selectFrom('workspace_usage').selectAll().executeTakeFirst();
    expect(usage).toMatchObject({ bytes: 70_000, documents: 7 });
    await expect.poll(() => storedState(app)).toMatchObject({ files: { length: 7 }, open: [] });
  });

  it('each have a row, an audit event and their bytes when they are answered', async () => {
    const { db } = app.app.inside;
    const files = filesOf(20);

    const answers = await uploadTogether(app, files);

    expect(acceptedOf(files, answers)).toEqual(files.map(sha256).sort());
    expect(await digestsIn(db)).toEqual(files.map(sha256).sort());
    const events = db.selectFrom('audit_events').select('target');
    const uploads = events.where('action', '=', 'DocumentService.UploadDocument').execute();
    expect(new Set((await uploads).map(({ target }) => target)).size).toBe(20);
    expect(await filesUnder(blobDirOf(app))).toHaveLength(20);
  });
});

const orphan = { user_id: 'none', workspace_id: 'none', role: 'owner', create_time: 1 } as const;

test('an upload on SQLite is not answered with success if its commit fails', async () => {
  const app = await startTestApp({ dialect: 'sqlite' });
  onTestFinished(() => app.remove());
  const { db } = app.app.inside;
  let isFailing = true;
  /** Makes the commits fail that it shares. */
  async function failCommits(): Promise<void> {
    while (isFailing) {
      const shared = transact(db, async (trx) => {
        await sql`pragma defer_foreign_keys = on`.execute(trx);
        await trx.insertInto('members').values(orphan).execute();
      });
      await expect(shared).rejects.toThrow('FOREIGN KEY');
    }
  }
  const failing = failCommits();
  const files = filesOf(20);
  const answers = await uploadTogether(app, files);
  isFailing = false;
  await failing;

  expect(answers.filter(({ ok }) => !ok)).not.toEqual([]);
  expect(await digestsIn(db)).toEqual(acceptedOf(files, answers));
  const stored = await callSharingApi<{ documents: object[] }>(app, 'GET', '/documents');
  expect(stored.body.documents).toHaveLength(acceptedOf(files, answers).length);
  const later = await uploadTogether(app, files.slice(0, 1));
  expect(later).toMatchObject([{ ok: true }]);
});
