// Ensures that one process of the deployment makes a backup, or restores one, at a time.

import type { Database } from '../storage/schema/schema.ts';
import { startLeases } from '../storage/upkeep/leases.ts';
import { BackupError } from './format.ts';

/** Longer than the lease of a killed process lasts. */
const waitMs = 20_000;

export const leaseLost = 'the database was unreachable for too long, or another process took over';

/** If the lease is lost or `stop` is aborted, the row stays: the work is unfinished. */
export async function withLease<T>(
  db: Database,
  name: string,
  stop: AbortSignal,
  work: (signal: AbortSignal, owner: string) => Promise<T>,
): Promise<T> {
  let failure: unknown;
  const leases = startLeases({
    db,
    onError: (error) => {
      failure = error;
    },
  });
  // The timers of leases do not keep the process running.
  const running = setInterval(() => {}, waitMs);
  try {
    const waiting = AbortSignal.any([stop, AbortSignal.timeout(waitMs)]);
    const lease = await leases.lease(name).acquire(waiting);
    stop.throwIfAborted();
    if (lease === undefined) throw failure ?? new BackupError(`another ${name} is running`);
    const lost = new AbortController();
    lease.signal.addEventListener('abort', () => lost.abort(new BackupError(leaseLost)));
    const signal = AbortSignal.any([stop, lost.signal]);
    try {
      return await work(signal, lease.owner);
    } finally {
      if (!signal.aborted) await lease.release();
    }
  } finally {
    clearInterval(running);
    await leases.stop();
  }
}
