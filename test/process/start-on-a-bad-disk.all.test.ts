// A start on a disk that is full or read-only.
import { copyFileSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freshPostgresDatabase } from '../support/databases.ts';
import { newDataDir, spawnProgram, startProgram } from '../support/program.ts';
import { mayMount, mountDisk, type SmallDisk } from '../support/small-disk.ts';

async function started(env: Record<string, string>, dataDir: string) {
  const program = await startProgram(env, dataDir);
  onTestFinished(() => program.kill());
  return program;
}

/** Only root can mount a disk; without it only the error messages are tested. */
const disks: [string, () => SmallDisk][] = mayMount()
  ? [['a small disk', () => mountDisk('16m')]]
  : [];

describe.each(disks)('on %s', (_, mountIt) => {
  test('that is full, the program starts again after it was killed', async () => {
    const disk = mountIt();
    onTestFinished(() => disk.unmount());
    const dataDir = path.join(disk.folder, 'data');
    mkdirSync(dataDir);
    const first = await started({}, dataDir);
    await first.kill();
    disk.fill();

    const second = await started({}, dataDir);

    // `bootstrap.env` contains the addresses of the first start.
    const [, url = ''] = /operations +(\S+)/.exec(second.stderr()) ?? [];
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    await second.kill();
  });

  async function stoppedCleanly(disk: SmallDisk): Promise<string> {
    const dataDir = path.join(disk.folder, 'data');
    mkdirSync(dataDir);
    const first = await started({}, dataDir);
    const reserve = path.join(dataDir, 'latchkey.db-reserve');
    await expect.poll(() => statSync(reserve, { throwIfNoEntry: false })?.size).toBe(4 << 20);
    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    disk.fill();
    return dataDir;
  }

  test('that is full, the program starts again after a clean stop', async () => {
    const disk = mountIt();
    onTestFinished(() => disk.unmount());
    const dataDir = await stoppedCleanly(disk);

    const second = await started({}, dataDir);

    const [, url = ''] = /operations +(\S+)/.exec(second.stderr()) ?? [];
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    await second.kill();
  });

  test('that is full up to the reserve, the program names the database', async () => {
    const disk = mountIt();
    onTestFinished(() => disk.unmount());
    const dataDir = await stoppedCleanly(disk);
    rmSync(path.join(dataDir, 'latchkey.db-reserve'));
    disk.fill();

    const second = await spawnProgram({}, dataDir);
    onTestFinished(() => second.kill());

    expect(await second.ended).toBe(1);
    expect(second.stderr()).toContain(`cannot open the database ${dataDir}/latchkey.db`);
    expect(second.stderr()).toContain('is the disk full?');
    expect(readdirSync(dataDir).filter((name) => name.startsWith('master.key'))).toEqual([
      'master.key',
    ]);
  });

  test('that is read-only, the program starts with a master key that exists', async () => {
    const disk = mountIt();
    onTestFinished(() => disk.unmount());
    const elsewhere = await newDataDir();
    const env = {
      LATCHKEY_DATABASE_URL: await freshPostgresDatabase(),
      LATCHKEY_BLOB_URL: `file:${path.join(elsewhere, 'blobs')}`,
    };
    const first = await startProgram(env, elsewhere);
    onTestFinished(() => first.remove());
    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    const dataDir = path.join(disk.folder, 'data');
    mkdirSync(path.join(dataDir, 'outbox'), { recursive: true });
    for (const name of ['master.key', 'bootstrap.env']) {
      copyFileSync(path.join(elsewhere, name), path.join(dataDir, name));
    }
    disk.remountReadOnly();

    const second = await spawnProgram(env, dataDir);
    onTestFinished(() => second.kill());

    await expect.poll(() => second.stderr(), { timeout: 20_000 }).toContain('operations');
    await second.kill();
  });
});

test('a start with an invalid database file reports it', async () => {
  const dataDir = await newDataDir();
  writeFileSync(path.join(dataDir, 'latchkey.db'), 'not a database '.repeat(1000));

  const program = await spawnProgram({}, dataDir);
  onTestFinished(() => program.remove());

  expect(await program.ended).toBe(1);
  expect(program.stderr()).toContain(`cannot open the database ${dataDir}/latchkey.db`);
  expect(program.stderr()).toContain('file is not a database');
});
