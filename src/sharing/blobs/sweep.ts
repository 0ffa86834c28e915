// Settles the notes that no call will settle: notes of processes that have ended, and of changes
// with an unknown result.
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { BlobStore } from './blob-store.ts';
import type { Lease } from './lease.ts';

type SweepOptions = {
  readonly pending: string;
  readonly fileOf: (id: string) => string;
  readonly lease: Lease;
  /** The ids of blobs that a call of this process will settle. */
  readonly held: ReadonlySet<string>;
  readonly leaseMs: number;
};

export function createSweep(options: SweepOptions): BlobStore['sweep'] {
  const { pending, fileOf, lease, held, leaseMs } = options;
  const beginRound = createStillness(leaseMs);

  return async (isNeeded) => {
    const hasStayed = beginRound();
    const owners = new Set([lease.owner]);
    for (const note of await readdir(pending)) {
      const [owner = '', id = ''] = note.split('.');
      owners.add(owner);
      if (owner === lease.owner && held.has(id)) continue;
      const mark = owner === lease.owner ? 'left' : await lease.markOf(owner);
      if (!hasStayed(note, mark)) continue;
      if (!(await isNeeded(id))) await rm(fileOf(id), { force: true });
      await rm(path.join(pending, note), { force: true });
    }
    for (const owner of await lease.owners()) {
      if (owners.has(owner)) continue;
      if (hasStayed(`lease ${owner}`, await lease.markOf(owner))) await lease.remove(owner);
    }
  };
}

/**
 * Returns whether a mark has stayed the same for `ms`. Uses only the clock of this process, because
 * the clocks of other machines and of file systems may differ or be changed.
 */
function createStillness(ms: number) {
  let seen = new Map<string, { readonly mark: string; readonly since: number }>();
  /** Starts a round of checks. Forgets the marks that the last round did not check. */
  return () => {
    const last = seen;
    seen = new Map();
    return (key: string, mark: string): boolean => {
      const before = last.get(key);
      const now = performance.now();
      const same = before?.mark === mark ? before : { mark, since: now };
      seen.set(key, same);
      return now - same.since >= ms;
    };
  };
}
