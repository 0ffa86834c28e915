// Two processes on one blob folder, as two containers run them: both have the process id 1.
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freshPostgresDatabase, openUntilFinished } from '../support/databases.ts';
import { pendingBlobsOf } from '../support/pending-blobs.ts';
import { type RunningProgram, startProgram } from '../support/program.ts';
import { multipartBody, openRawHttp, requestHead } from '../support/raw-http.ts';
import { bearer, filesUnder, sha256 } from '../support/sharing-api.ts';

const namespace = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'];

/** Runs a command as process 1 of a PID namespace, or without a namespace if not permitted. */
function containerLauncher(): string[] {
  try {
    execFileSync(namespace[0] ?? '', [...namespace.slice(1), 'true'], { stdio: 'ignore' });
    return namespace;
  } catch {
    return [];
  }
}

/** An upload of which the client holds back the last byte. */
async function holdUpload(program: RunningProgram, bytes: Buffer) {
  const connection = await openRawHttp(Number(new URL(program.env.LATCHKEY_BASE_URL).port));
  onTestFinished(() => connection.reset());
  const form = multipartBody([{ name: 'file', filename: 'a.bin', body: bytes }], 'frontier');
  const head = requestHead('POST', '/api/v1/documents', {
    Host: 'latchkey.test',
    ...bearer(program.env.API_KEY),
    'Content-Type': 'multipart/form-data; boundary=frontier',
    'Content-Length': String(form.length),
  });
  await connection.write(head);
  await connection.write(form.subarray(0, -1));
  return async () => {
    await connection.write(form.subarray(-1));
    return (await connection.response())?.status;
  };
}

describe('a second process on the same folder', () => {
  async function start(databaseUrl: string, dataDir?: string): Promise<RunningProgram> {
    const env = { LATCHKEY_DATABASE_URL: databaseUrl, LATCHKEY_BOOTSTRAP: 'demo' };
    const program = await startProgram(env, dataDir, containerLauncher());
    onTestFinished(() => program.remove());
    return program;
  }

  it('starts without touching the uploads of the first one', async () => {
    const databaseUrl = await freshPostgresDatabase();
    const first = await start(databaseUrl);
    const { dataDir } = first;
    const blobs = path.join(dataDir, 'blobs');
    const contents = Array.from({ length: 8 }, (_, i) => Buffer.alloc(1000, `${i}`));
    const db = await openUntilFinished(databaseUrl);
    const before = await filesUnder(blobs);
    const pendingBefore = await pendingBlobsOf(db);
    const pending = async () =>
      (await pendingBlobsOf(db)).filter((id) => !pendingBefore.includes(id));
    const held = await Promise.all(contents.map((bytes) => holdUpload(first, bytes)));
    await expect.poll(pending).toHaveLength(8);

    await start(databaseUrl, dataDir);
    await sleep(500);
    const statuses = await Promise.all(held.map((finish) => finish()));

    expect(statuses).toEqual(contents.map(() => 201));
    expect(await pending()).toEqual([]);
    const files = (await filesUnder(blobs)).filter((file) => !before.includes(file));
    const stored = await Promise.all(files.map((file) => readFile(path.join(blobs, file))));
    expect(stored.map(sha256).sort()).toEqual(contents.map(sha256).sort());
  });
});
