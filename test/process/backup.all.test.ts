// Runs `latchkey backup` and `latchkey restore` with a running service, and across databases.

import { copyFile, readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readMasterKeyFile } from '../../src/base/crypto/master-key-file.ts';
import { transact } from '../../src/storage/database.ts';
import {
  addSharing,
  type BackupPlace,
  backupPlace,
  installationWithDocuments,
  newFolder,
  rowsToBackUp,
} from '../support/backups.ts';
import { freshDatabaseUrl } from '../support/databases.ts';
import { freePort } from '../support/free-port.ts';
import { addSealed, urlIn, withDatabase } from '../support/master-keys.ts';
import { type Dialect, describeDialects } from '../support/matrix.ts';
import { runIn, startProgram } from '../support/program.ts';
import {
  call,
  digestOf,
  issueToken,
  remove,
  type Uploaded,
  upload,
} from '../support/program-calls.ts';
import { itHoldsFor } from '../support/rule.ts';

type Installation = { readonly dataDir: string; readonly env: Record<string, string> };

async function emptyInstallation(dialect: Dialect): Promise<Installation> {
  const dataDir = await newFolder();
  if (dialect === 'sqlite') return { dataDir, env: {} };
  return { dataDir, env: { LATCHKEY_DATABASE_URL: await freshDatabaseUrl('postgres') } };
}

const urlOf = ({ dataDir, env }: Installation) => env.LATCHKEY_DATABASE_URL ?? urlIn(dataDir);

async function backUp(
  { dataDir, env }: Installation,
  place: BackupPlace,
  ...options: string[]
): Promise<string> {
  const file = path.join(place.folder, `${crypto.randomUUID()}.age`);
  const words = ['backup', ...options, file];
  const { status, stdout, stderr } = await runIn(dataDir, words, { ...env, ...place.env });
  expect(stderr).toContain(`Backup written to ${file}\n`);
  expect([status, stdout]).toEqual([0, '']);
  return file;
}

async function restore(
  { dataDir, env }: Installation,
  place: BackupPlace,
  ...words: readonly string[]
): Promise<string> {
  const all = ['restore', ...words];
  const { status, stderr } = await runIn(dataDir, all, { ...env, ...place.env });
  expect(stderr).toMatch(/^Backup of .* restored\n/);
  expect(status).toBe(0);
  return stderr;
}

describeDialects('a backup of a running service', (dialect) => {
  test('contains what was acknowledged before it began, and nothing in part', async () => {
    const place = await backupPlace();
    const source = await emptyInstallation(dialect);
    const target = await emptyInstallation(dialect === 'sqlite' ? 'postgres' : 'sqlite');
    // The same address, because it is the issuer of the tokens.
    const address = { LATCHKEY_HTTP_ADDRESS: `127.0.0.1:${await freePort()}` };
    const demo = { LATCHKEY_BOOTSTRAP: 'demo', ...address };
    const before = await startProgram({ ...source.env, ...demo }, source.dataDir);
    onTestFinished(() => before.kill());
    const token = await issueToken(before);
    const documents = [await upload(before, 1), await upload(before, 3_000_000)];
    for (let i = 0; i < 20; i++) documents.push(await upload(before, 100_000 + i));

    const deleted: Uploaded[] = [];
    for (let i = 0; i < 30; i++) deleted.push(await upload(before, 1_000 + i));

    let isDone = false;
    let writes = 0;
    async function load(): Promise<void> {
      for (; !isDone; writes++) {
        await upload(before, 50_000);
        const document = deleted.pop();
        if (document !== undefined) await remove(before, document.id);
      }
    }
    const loads = [load(), load()];
    await expect.poll(() => writes).toBeGreaterThan(2);
    const file = await backUp(source, place);
    const writesDuring = writes;
    await expect.poll(() => writes).toBeGreaterThan(writesDuring + 2);
    isDone = true;
    await Promise.all(loads);
    await before.kill();
    await restore(target, place, file);

    const checked = await runIn(target.dataDir, ['doctor', '--blobs'], target.env);
    expect(checked.stdout).toMatch(/damaged: 0\n$/);
    const bootstrapFile = 'bootstrap.env';
    await copyFile(
      path.join(source.dataDir, bootstrapFile),
      path.join(target.dataDir, bootstrapFile),
    );
    const after = await startProgram({ ...target.env, ...demo }, target.dataDir);
    onTestFinished(() => after.kill());
    expect(await call(after, '/tokens/verify', { token }, token)).toMatchObject({ active: true });
    await issueToken(after);
    for (const { id, digest } of documents) expect(await digestOf(after, id)).toBe(digest);
    const { links } = await call<{ links: [{ url: string }] }>(after, '/api/v1/links');
    expect((await fetch(links[0].url)).status).toBe(200);
    // The restored service also accepts changes.
    const added = await upload(after, 100);
    expect(await digestOf(after, added.id)).toBe(added.digest);
  });
});

describe('a restore', () => {
  const pairs = (['sqlite', 'postgres'] as const).flatMap((from) =>
    (['sqlite', 'postgres'] as const).map((to) => [from, to] as const),
  );

  itHoldsFor(pairs, 4)('contains every row and document on each database', async (from, to) => {
    const place = await backupPlace();
    const env: Record<string, string> =
      from === 'sqlite' ? {} : { LATCHKEY_DATABASE_URL: await freshDatabaseUrl('postgres') };
    const dataDir = await installationWithDocuments(env.LATCHKEY_DATABASE_URL);
    const source = { dataDir, env };
    await addSealed(urlOf(source), await readMasterKeyFile(dataDir), 3);
    const target = await emptyInstallation(to);

    await restore(target, place, await backUp(source, place));

    expect(await rowsToBackUp(urlOf(target))).toEqual(await rowsToBackUp(urlOf(source)));
    expect(await readFile(path.join(target.dataDir, 'master.key'), 'utf8')).toBe(
      await readFile(path.join(dataDir, 'master.key'), 'utf8'),
    );
    for (const name of ['.', 'blobs']) {
      expect((await stat(path.join(target.dataDir, name))).mode & 0o777).toBe(0o700);
    }
    const names = await readdir(target.dataDir);
    for (const name of names.filter((one) => /^(master|latchkey)/.test(one))) {
      expect((await stat(path.join(target.dataDir, name))).mode & 0o777).toBe(0o600);
    }
  });

  test('has versions, rooms, views and receipts, also through PostgreSQL to SQLite', async () => {
    const place = await backupPlace();
    const source = { dataDir: await installationWithDocuments(undefined, addSharing), env: {} };
    const between = await emptyInstallation('postgres');
    const target = await emptyInstallation('sqlite');

    await restore(between, place, await backUp(source, place));
    await restore(target, place, await backUp(between, place));

    const rows = await rowsToBackUp(urlOf(source));
    expect(await rowsToBackUp(urlOf(target))).toEqual(rows);
    // The ids of visitors are new.
    const visitorsOf = (installation: Installation) =>
      withDatabase(urlOf(installation), (db) =>
        db
          .selectFrom('visitors')
          .select(['workspace_id', 'email', 'view_count', 'create_time', 'last_view_time'])
          .orderBy('email')
          .execute(),
      );
    const visitors = await visitorsOf(source);
    expect(visitors.map(({ email }) => email)).toEqual([
      'other@example.com',
      'reader@example.com',
      'signer@example.com',
    ]);
    expect(await visitorsOf(target)).toEqual(visitors);
    for (const installation of [source, target]) {
      const counts = await withDatabase(urlOf(installation), async (db) => {
        const count = async (table: 'folders' | 'agreements' | 'views') =>
          (await db.selectFrom(table).selectAll().execute()).length;
        return [await count('folders'), await count('agreements'), await count('views')];
      });
      expect(counts).toEqual([2, 1, 4]);
    }
  });

  itHoldsFor(['sqlite', 'postgres'])('skips removed documents', async (dialect) => {
    const place = await backupPlace();
    const env: Record<string, string> =
      dialect === 'sqlite' ? {} : { LATCHKEY_DATABASE_URL: await freshDatabaseUrl('postgres') };
    const dataDir = await installationWithDocuments(env.LATCHKEY_DATABASE_URL);
    const source = { dataDir, env };
    await withDatabase(urlOf(source), async (db) => {
      const [document] = await db.selectFrom('documents').select(['id', 'blob_id']).execute();
      // The deletion of a document with many views leaves this state.
      await transact(db, async (trx) => {
        const removed = { remove_time: 1, blob_id: `removed ${document?.id}` };
        const id = document?.id ?? '';
        await trx.updateTable('documents').set(removed).where('id', '=', id).execute();
        await trx.deleteFrom('document_versions').where('document_id', '=', id).execute();
      });
      const blobId = document?.blob_id ?? '';
      await rm(path.join(dataDir, 'blobs', blobId.slice(0, 2), blobId));
    });
    const target = await emptyInstallation(dialect);

    const report = await restore(target, place, await backUp(source, place));

    expect(report).toMatch(/documents: 2 .*, damaged: 0, missing: 0\n/);
    expect(await rowsToBackUp(urlOf(target))).toEqual(await rowsToBackUp(urlOf(source)));
  });

  test('of references checks that the blob store has the documents', async () => {
    const place = await backupPlace();
    const dataDir = await installationWithDocuments();
    const file = await backUp({ dataDir, env: {} }, place, '--blobs=references');
    const blobs = path.join(dataDir, 'blobs');
    const target = { dataDir: await newFolder(), env: { LATCHKEY_BLOB_URL: `file:${blobs}` } };
    const wrong = await runIn(await newFolder(), ['restore', file], place.env);
    expect([wrong.status, wrong.stderr]).toEqual([
      1,
      expect.stringContaining('the blob store has none of them; check LATCHKEY_BLOB_URL'),
    ]);

    const refused = await runIn(target.dataDir, ['restore', file], {
      ...place.env,
      ...target.env,
    });
    expect([refused.status, refused.stderr]).toEqual([
      1,
      expect.stringContaining('belongs to another database'),
    ]);

    await restore(target, place, file, '--take-over-blobs');

    const checked = await runIn(target.dataDir, ['doctor', '--blobs'], target.env);
    expect(checked.stdout).toBe('Documents checked: 3, damaged: 0\n');
    const former = await runIn(dataDir, ['doctor']);
    expect(former.stdout).toMatch(/^problem .*belongs to another database/m);
  });

  test('of an installation whose key is a setting requires the same key', async () => {
    const place = await backupPlace();
    const dataDir = await installationWithDocuments();
    const key = (await readFile(path.join(dataDir, 'master.key'), 'utf8')).trim();
    const env = { LATCHKEY_MASTER_KEY: key };
    const file = await backUp({ dataDir, env }, place);
    const run = async (other: Record<string, string>) =>
      runIn(await newFolder(), ['restore', file], { ...place.env, ...other });

    expect((await run({})).stderr).toContain('set LATCHKEY_MASTER_KEY to it');
    expect((await run({ LATCHKEY_MASTER_KEY: 'ab'.repeat(32) })).stderr).toContain(
      'LATCHKEY_MASTER_KEY is another key',
    );
    expect((await run(env)).status).toBe(0);
  });
});
