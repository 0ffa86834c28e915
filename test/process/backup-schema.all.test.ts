// Backups of databases whose schema is that of another release, or changes during the backup.
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Kysely, sql } from 'kysely';
import { expect, test } from 'vitest';
import { backupPlace, installationWithDocuments, newFolder } from '../support/backups.ts';
import { freshDatabaseUrl, openWithFirstRelease, withRawDatabase } from '../support/databases.ts';
import { countWaiting } from '../support/lock-waits.ts';
import { urlIn } from '../support/master-keys.ts';
import { describeFeature } from '../support/matrix.ts';
import { runIn, spawnProgram } from '../support/program.ts';

const refused = (reason: string) => [1, `The backup was not written: ${reason}\n`];
const earlier = 'the schema is of an earlier release; run `node dist/src/main.js migrate`';
const later = 'the schema is of a later release; make the backup with that one';

const recordLater = sql`
  insert into schema_migrations (name, timestamp, oldest_supported)
  values ('9999-later', '2030-01-01T00:00:00.000Z', '9998')
`;

const tableNames = async (db: Kysely<unknown>) =>
  (await db.introspection.getTables()).map(({ name }) => name).sort();

describeFeature('a backup', (dialect) => {
  test('of the schema of release 0.1 is refused and changes nothing', async () => {
    const place = await backupPlace();
    const dataDir = await newFolder();
    await writeFile(path.join(dataDir, 'master.key'), `${'ab'.repeat(32)}\n`, { mode: 0o600 });
    const url = dialect === 'sqlite' ? urlIn(dataDir) : await freshDatabaseUrl('postgres');
    expect(await openWithFirstRelease(url)).toBeUndefined();
    const tables = await withRawDatabase(url, tableNames);
    const env = { LATCHKEY_DATABASE_URL: url, ...place.env };
    const file = path.join(place.folder, 'backup.age');

    const { status, stderr } = await runIn(dataDir, ['backup', file], env);

    expect([status, stderr]).toEqual(refused(earlier));
    expect(await withRawDatabase(url, tableNames)).toEqual(tables);
    expect(await readdir(place.folder)).toEqual(['key.txt']);
    expect((await runIn(dataDir, ['migrate'], env)).status).toBe(0);
    expect((await runIn(dataDir, ['backup', file], env)).status).toBe(0);
  });

  test('of the schema of the next release is refused', async () => {
    const place = await backupPlace();
    const url = dialect === 'sqlite' ? undefined : await freshDatabaseUrl('postgres');
    const dataDir = await installationWithDocuments(url);
    await withRawDatabase(url ?? urlIn(dataDir), (db) => recordLater.execute(db));
    const env = { ...place.env, ...(url === undefined ? {} : { LATCHKEY_DATABASE_URL: url }) };

    const { status, stderr } = await runIn(
      dataDir,
      ['backup', path.join(place.folder, 'backup.age')],
      env,
    );

    expect([status, stderr]).toEqual(refused(later));
    expect(await readdir(place.folder)).toEqual(['key.txt']);
  });
});

test('a backup that begins during a migration is refused', async () => {
  const place = await backupPlace();
  const url = await freshDatabaseUrl('postgres');
  const dataDir = await installationWithDocuments(url);
  const env = { LATCHKEY_DATABASE_URL: url, ...place.env };

  await withRawDatabase(url, async (db) => {
    const migration = await db.startTransaction().execute();
    await sql`alter table documents add column later text`.execute(migration);
    await recordLater.execute(migration);
    const words = ['backup', path.join(place.folder, 'backup.age')];
    const backup = await spawnProgram(env, dataDir, words);
    await expect.poll(() => countWaiting(db)).toBe(1);
    await migration.commit().execute();

    expect([await backup.ended, backup.stderr()]).toEqual(refused(later));
  });
});
