// Several stores on one folder, as several processes open it; here even their process id is the
// same.
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { BlobStore } from '../../src/sharing/blobs/blob-store.ts';
import { openDiskBlobs } from '../../src/sharing/blobs/disk.ts';
import { filesUnder } from '../support/sharing-api.ts';

let root: string;
const never = 3_600_000;

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'latchkey-blobs-'));
  return () => rm(root, { recursive: true, force: true, maxRetries: 10 });
});

async function open(leaseMs: number): Promise<BlobStore> {
  const blobs = await openDiskBlobs(root, leaseMs);
  onTestFinished(() => blobs.close());
  return blobs;
}

async function* bytes() {
  yield Buffer.from('The terms.');
}

const noRow = async () => false;
const aRow = async () => true;

/** Sweeps four times. `leaseMs` pass between two sweeps. */
async function sweepFor(blobs: BlobStore, leaseMs: number, isNeeded = noRow): Promise<void> {
  for (let round = 0; round < 4; round++) {
    await blobs.sweep(isNeeded);
    await sleep(leaseMs);
  }
}

/** Returns a function that reads when the only lease was last renewed. */
async function watchLease(): Promise<() => Promise<bigint>> {
  const [name = ''] = await readdir(path.join(root, 'leases'));
  const file = path.join(root, 'leases', name);
  return async () => (await stat(file, { bigint: true })).mtimeNs;
}

const noteCount = async () => (await filesUnder(path.join(root, 'pending'))).length;

describe('a sweep', () => {
  it('keeps the notes of a process that renews its lease', async () => {
    // Time passes only here, and each time the test waits for the renewal of the lease.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const first = await open(1_000);
    const staged = await first.write('aaa', bytes());
    const renewTime = await watchLease();
    const second = await open(2_000);

    for (let passedMs = 0; passedMs < 6_000; passedMs += 500) {
      await second.sweep(noRow);
      const last = await renewTime();
      // The file system's clock may advance in steps of several milliseconds.
      await sleep(20);
      vi.advanceTimersByTime(500);
      while ((await renewTime()) === last) await sleep(5);
    }
    await second.sweep(noRow);

    expect(await filesUnder(root)).toContain('aa/aaa');
    await staged.settle();
    expect(await filesUnder(root)).toEqual(['aa/aaa']);
  });

  it('keeps everything on its first run, even very old files', async () => {
    await (await open(never)).write('aaa', bytes());
    const second = await open(never);

    await second.sweep(noRow);
    await second.sweep(noRow);

    expect(await noteCount()).toBe(1);
  });

  it('removes the blob of a process that has ended, unless it has a row', async () => {
    const first = await open(never);
    await first.write('aaa', bytes());
    await first.write('bbb', bytes());
    const second = await open(50);

    await sweepFor(second, 50, async () => false);
    expect(await filesUnder(root)).toEqual([]);

    await first.write('ccc', bytes());
    await sweepFor(second, 50, aRow);
    expect(await filesUnder(root)).toEqual(['cc/ccc']);
  });

  it('settles notes that an earlier release named by a process id', async () => {
    const blobs = await open(50);
    await writeFile(path.join(root, 'pending', `${process.pid}.aaa`), 'The terms.');

    await sweepFor(blobs, 50);

    expect(await noteCount()).toBe(0);
  });

  it('settles a blob of the same process only after it was abandoned', async () => {
    const blobs = await open(50);
    const staged = await blobs.write('aaa', bytes());
    await sweepFor(blobs, 50);
    expect(await noteCount()).toBe(1);

    staged.leave();

    await sweepFor(blobs, 50);
    expect(await filesUnder(root)).toEqual([]);
  });
});

describe('a blob that was swept while its process was paused', () => {
  it('is reported when it is settled', async () => {
    const staged = await (await open(never)).write('aaa', bytes());
    await sweepFor(await open(50), 50);

    await expect(staged.settle()).rejects.toMatchObject({ damage: 'missing' });
  });
});
