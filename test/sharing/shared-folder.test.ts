// Two processes on one blob folder, as two containers run them: both have the process id 1.
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freshPostgresDatabase, openUntilFinished } from '../support/databases.ts';
import { postForm } from '../support/document-streams.ts';
import { pendingBlobsOf } from '../support/pending-blobs.ts';
import { type RunningProgram, startProgram } from '../support/program.ts';
import { multipartBody } from '../support/raw-http.ts';
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

/** After this time, the service gives up a query, such as an upload's that waits for a lock. */
const queryTimeoutMs = 10_000;

/** Makes documents readable but not writable until the returned function is called. */
async function lockDocuments(databaseUrl: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('begin; lock table documents in exclusive mode');
  return () => client.end();
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
    const addresses = { publicUrl: first.env.LATCHKEY_BASE_URL, grpcAddress: '' };
    const contents = Array.from({ length: 8 }, (_, i) => Buffer.alloc(1000, `${i}`));
    const db = await openUntilFinished(databaseUrl);
    const post = async (body: Buffer) => {
      const form = multipartBody([{ name: 'file', filename: 'a.bin', body }], 'frontier');
      const response = await postForm(addresses, form, bearer(first.env.API_KEY));
      await response.text();
      return response.status;
    };

    let before: string[] = [];
    let pendingBefore: string[] = [];
    const pending = async () =>
      (await pendingBlobsOf(db)).filter((id) => !pendingBefore.includes(id));
    let statuses: number[] = [];
    for (let isTooSlow = true; isTooSlow; ) {
      before = await filesUnder(blobs);
      pendingBefore = await pendingBlobsOf(db);
      const unlock = await lockDocuments(databaseUrl);
      const lockTime = performance.now();
      const answers = contents.map(post);
      await expect.poll(pending).toHaveLength(8);
      await start(databaseUrl, dataDir);
      await sleep(500);
      await unlock();
      statuses = await Promise.all(answers);
      // The uploads then failed without the other process, which proves nothing.
      isTooSlow = performance.now() - lockTime > queryTimeoutMs;
    }

    expect(statuses).toEqual(contents.map(() => 201));
    expect(await pending()).toEqual([]);
    const files = (await filesUnder(blobs)).filter((file) => !before.includes(file));
    const stored = await Promise.all(files.map((file) => readFile(path.join(blobs, file))));
    expect(stored.map(sha256).sort()).toEqual(contents.map(sha256).sort());
  }, 240_000);
});
