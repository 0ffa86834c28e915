// A full disk: the program refuses uploads, and still deletes, revokes, reads and starts.
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Check, Trial } from '../support/campaign.ts';
import { callsTo, describeAnswer } from '../support/campaign-calls.ts';
import { freePort } from '../support/free-port.ts';
import { createLedger } from '../support/ledger.ts';
import { newDataDir, type RunningProgram, startProgram } from '../support/program.ts';

export const fullDiskCheck: Check = {
  name: 'a full disk',
  secondsMax: [60, 120],
  run: fillDisk,
};

type Disk = {
  readonly kind: string;
  start(): Promise<RunningProgram>;
  /** Fills the disk. */
  fill(): void;
  /** Removes the bytes that filled the disk. */
  free(): void;
};

/**
 * Every start uses the same ports, because the file that records new ones may not fit on the disk.
 */
async function settings(): Promise<Record<string, string>> {
  const address = async () => `127.0.0.1:${await freePort()}`;
  return {
    LATCHKEY_BOOTSTRAP: 'demo',
    LATCHKEY_LOG_LEVEL: 'error',
    LATCHKEY_HTTP_ADDRESS: await address(),
    LATCHKEY_GRPC_ADDRESS: await address(),
    LATCHKEY_OPS_ADDRESS: await address(),
  };
}

/** Root may mount file systems, unless confined, as in most containers. */
function mountSmallDisk(trial: Trial, env: Record<string, string>): Disk | undefined {
  const folder = mkdtempSync(path.join(tmpdir(), 'latchkey-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'none', folder], { stdio: 'pipe' });
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  trial.onEnd(() => {
    execFileSync('umount', ['--lazy', folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  const dataDir = path.join(folder, 'data');
  execFileSync('mkdir', ['-m', '700', dataDir]);
  return {
    kind: 'tmpfs of 16 MiB',
    start: () => startProgram(env, dataDir),
    fill() {
      const file = openSync(path.join(folder, 'ballast'), 'w');
      try {
        for (const size of [65_536, 4096, 1]) fillBy(file, size);
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(path.join(folder, 'ballast')),
  };
}

function fillBy(file: number, size: number): void {
  const bytes = Buffer.alloc(size);
  try {
    while (writeSync(file, bytes) === size);
  } catch {
    // The disk has no space for that many more.
  }
}

/** No file may grow beyond 2 MiB, including the database and its log. */
async function limitFiles(env: Record<string, string>): Promise<Disk> {
  const dataDir = await newDataDir();
  // In units of 512 bytes (POSIX).
  const launcher = ['/bin/sh', '-c', `trap '' XFSZ; ulimit -f 4096; exec "$0" "$@"`];
  return {
    kind: 'files of at most 2 MiB',
    start: () => startProgram(env, dataDir, launcher),
    fill() {},
    free() {},
  };
}

async function fillDisk(trial: Trial): Promise<void> {
  const env = await settings();
  const disk = mountSmallDisk(trial, env) ?? (await limitFiles(env));
  trial.figure('disk', disk.kind);
  let program = await disk.start();
  trial.onEnd(() => program.remove());
  const key = program.env.API_KEY;
  const small = new Uint8Array(trial.random.bytes(100_000));
  const ids: string[] = [];
  for (let i = 0; i < 4; i++) {
    ids.push(String((await callsTo(program).upload(small))?.body.id));
  }
  const ledger = createLedger(trial.random);
  const enter = () => ledger.enter(callsTo(program), key);
  const { upload, createLink, createClient, ...works } = ledger.works;
  for (const work of [upload, createLink, createLink, createClient, createClient]) {
    await work(await enter());
  }
  disk.fill();

  async function revoke(when: string): Promise<void> {
    ledger.statuses.clear();
    const access = await enter();
    for (const work of [works.revokeToken, works.revokeSecret, works.revokeLink]) {
      disk.fill();
      await work(access);
    }
    const answers = [...ledger.statuses].join(' ');
    if (answers !== '200,3') trial.fail(`${when}: revocations: ${answers}`);
    for (const one of await ledger.lost(access, true)) trial.fail(`${when}: lost ${one}`);
  }
  async function expectRefusals(when: string): Promise<void> {
    const { upload, json } = callsTo(program);
    const large = await upload(new Uint8Array(3_000_000));
    if (large?.status !== 503) trial.fail(`${when}: an upload: ${describeAnswer(large)}`);
    const read = await json('GET', `/api/v1/documents/${ids.at(-1)}/file`, key);
    if (read?.status !== 200) trial.fail(`${when}: a download: ${describeAnswer(read)}`);
  }
  async function deleteDocument(when: string): Promise<void> {
    const route = `/api/v1/documents/${ids.shift()}`;
    const answer = await callsTo(program).json('DELETE', route, key);
    if (answer?.status !== 200) trial.fail(`${when}: a deletion: ${describeAnswer(answer)}`);
  }
  await expectRefusals('running');
  await deleteDocument('running');
  await revoke('running');
  disk.fill();
  await program.kill();
  program = await disk.start();
  await expectRefusals('after a restart');
  await revoke('after a restart');
  await deleteDocument('after a restart');
  await deleteDocument('after a restart');
  // Freed space fills the reserve of the database first.
  disk.free();
  const freed = await callsTo(program).upload(small);
  if (freed?.status !== 201) trial.fail(`an upload into the freed room: ${describeAnswer(freed)}`);
}
