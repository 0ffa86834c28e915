// Settings that name files and folders of other programs.
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freshDatabaseUrl } from '../support/databases.ts';
import { stoppedInstallation } from '../support/harness.ts';
import { describeFeature } from '../support/matrix.ts';
import { type Program, spawnProgram, startProgram } from '../support/program.ts';
import { itHoldsFor } from '../support/rule.ts';

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A folder of another program that everyone can read. */
async function foreignFolder(): Promise<string> {
  const folder = path.join(await newFolder(), 'site');
  await mkdir(path.join(folder, 'de/pages'), { recursive: true });
  await writeFile(path.join(folder, 'index.html'), 'A page');
  await chmod(folder, 0o755);
  return folder;
}

const modeOf = async (file: string) => ((await stat(file)).mode & 0o7777).toString(8);

async function refused(env: Record<string, string>, command = 'serve'): Promise<Program> {
  const program = await spawnProgram(env, undefined, [command]);
  onTestFinished(() => program.remove());
  expect(await program.ended, program.stderr()).toBe(1);
  return program;
}

describe('LATCHKEY_DATABASE_URL', () => {
  itHoldsFor(['serve', 'migrate'])('refuses a file that is not a database', async (command) => {
    const file = path.join(await foreignFolder(), 'index.html');
    await chmod(file, 0o644);

    const { stderr } = await refused({ LATCHKEY_DATABASE_URL: `sqlite:${file}` }, command);

    expect(stderr()).toContain(
      `cannot open the database ${file}: file is not a database; check LATCHKEY_DATABASE_URL\n`,
    );
    expect(await modeOf(file)).toBe('644');
    expect(await readFile(file, 'utf8')).toBe('A page');
  });

  itHoldsFor(['serve', 'migrate'])('refuses a folder', async (command) => {
    const folder = await foreignFolder();

    const { stderr } = await refused({ LATCHKEY_DATABASE_URL: `sqlite:${folder}` }, command);

    expect(stderr()).toContain(
      `cannot open the database ${folder}: it is not a file; check LATCHKEY_DATABASE_URL\n`,
    );
    expect(await modeOf(folder)).toBe('755');
  });
});

describeFeature('LATCHKEY_BLOB_URL', (dialect) => {
  it('refuses a folder with files of another program at the first start', async () => {
    const folder = await foreignFolder();
    const env = {
      LATCHKEY_DATABASE_URL: await freshDatabaseUrl(dialect),
      LATCHKEY_BLOB_URL: `file:${folder}`,
    };

    const { stderr, dataDir } = await refused(env);

    expect(stderr()).toBe(
      `Latchkey cannot start: LATCHKEY_BLOB_URL: ${folder} contains files of another program; ` +
        'name an empty folder\n',
    );
    expect(await modeOf(folder)).toBe('755');
    expect((await readdir(folder)).sort()).toEqual(['de', 'index.html']);

    const corrected = { ...env, LATCHKEY_BLOB_URL: `file:${await newFolder()}` };
    const started = await startProgram(corrected, dataDir);
    onTestFinished(() => started.remove());
  });

  it('accepts a new volume, which has the folder lost+found', async () => {
    const folder = await newFolder();
    await mkdir(path.join(folder, 'lost+found'));
    await chmod(folder, 0o755);
    const env = {
      LATCHKEY_DATABASE_URL: await freshDatabaseUrl(dialect),
      LATCHKEY_BLOB_URL: `file:${folder}`,
      // Without the sample document.
      LATCHKEY_BOOTSTRAP: 'owner',
    };

    const program = await startProgram(env);
    onTestFinished(() => program.remove());

    expect((await readdir(folder)).sort()).toEqual(['lost+found', 'marker']);
    expect(await modeOf(folder)).toBe('700');
  });

  it('does not change a folder of another program after the first start', async () => {
    const databaseUrl = await freshDatabaseUrl(dialect);
    const dataDir = await stoppedInstallation(databaseUrl);
    const folder = await foreignFolder();
    const env = { LATCHKEY_DATABASE_URL: databaseUrl, LATCHKEY_BLOB_URL: `file:${folder}` };

    const program = await startProgram(env, dataDir);
    onTestFinished(() => program.remove());

    await expect.poll(() => program.stdout()).toContain('has no marker with the id');
    expect(await modeOf(folder)).toBe('755');
    expect((await readdir(folder)).sort()).toEqual(['de', 'index.html']);
    const doctor = await refused({ ...env, LATCHKEY_DATA_DIR: dataDir }, 'doctor');
    expect(doctor.stdout()).toMatch(/^problem +blobs .*has no marker with the id/m);
  });
});

describe('LATCHKEY_DATA_DIR', () => {
  it('keeps the mode of a folder with files of another program', async () => {
    const dataDir = await foreignFolder();

    const program = await startProgram({}, dataDir);
    onTestFinished(() => program.remove());

    expect(await modeOf(dataDir)).toBe('755');
    await expect.poll(() => program.stdout()).toContain('other users can open it: ');
  });
});

it('doctor reports a blob folder with files of another program', async () => {
  const folder = await foreignFolder();
  const { stdout } = await refused({ LATCHKEY_BLOB_URL: `file:${folder}` }, 'doctor');
  expect(stdout()).toMatch(
    /^problem +blobs +LATCHKEY_BLOB_URL: .* contains files of another program; name an empty/m,
  );
});
