// Several stores on one folder, as several processes open it; here even their process id is the
// same.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
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

/** Sweeps until `leaseMs` have certainly passed. */
async function sweepFor(blobs: BlobStore, leaseMs: number, isNeeded = noRow): Promise<void> {
  for (const until = performance.now() + 3 * leaseMs; performance.now() < until; ) {
    await blobs.sweep(isNeeded);
    await sleep(leaseMs / 5);
  }
}

const noteCount = async () => (await filesUnder(path.join(root, 'pending'))).length;

describe('a sweep', () => {
  it('keeps the notes of a process that renews its lease', async () => {
    // Renewed every 100 ms; a gap of a second happens only if the machine stalls.
    const first = await open(1_000);
    const staged = await first.write('aaa', bytes());
    const second = await open(2_000);

    await sweepFor(second, 2_000);

    expect(await filesUnder(root)).toContain('aa/aaa');
    await staged.settle();
    expect(await filesUnder(root)).toEqual(['aa/aaa']);
  }, 30_000);

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
