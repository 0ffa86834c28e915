// Processes that share a blob folder find each other by leases. Each process has a random id,
// because process ids can be equal in two containers, and regularly renews its file `leases/<id>`.
import { randomUUID } from 'node:crypto';
import { access, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { ignoreErrorCodes } from './store-failure.ts';

export type Lease = {
  /** The id of this process. */
  readonly owner: string;
  /** Creates the file of this process if it is missing. Throws if that fails. */
  hold(): Promise<void>;
  /** The ids of the processes that have a lease. */
  owners(): Promise<string[]>;
  /** Returns a value that changes with each renewal of a lease; empty if the lease is missing. */
  markOf(owner: string): Promise<string>;
  remove(owner: string): Promise<void>;
  /** Stops the renewals and removes the lease. */
  close(): Promise<void>;
};

/** Opens the lease of this process and renews it ten times within `leaseMs`. */
export function openLease(root: string, leaseMs: number): Lease {
  const owner = randomUUID();
  const folder = path.join(root, 'leases');
  const fileOf = (id: string) => path.join(folder, id);
  let heldUntil = 0;

  /** Truncates an empty file. That updates its time and works on a full disk. */
  async function renew(): Promise<void> {
    await (await open(fileOf(owner), 'w', 0o600)).close();
    heldUntil = performance.now() + leaseMs / 2;
  }

  // Errors are ignored here: the next upload fails with the same error.
  const timer = setInterval(() => void renew().catch(() => {}), leaseMs / 10).unref();

  return {
    owner,
    async hold() {
      if (performance.now() < heldUntil) return;
      // If the volume is not mounted, the store must not be created in its place.
      await access(path.join(root, 'pending'));
      await mkdir(folder, { mode: 0o700 }).catch(ignoreErrorCodes('EEXIST'));
      await renew();
    },
    owners: () =>
      readdir(folder)
        .catch(ignoreErrorCodes('ENOENT'))
        .then((names) => names ?? []),
    async markOf(id) {
      const found = await stat(fileOf(id), { bigint: true }).catch(ignoreErrorCodes('ENOENT'));
      return found === undefined ? '' : `${found.ino} ${found.mtimeNs} ${found.ctimeNs}`;
    },
    remove: (id) => rm(fileOf(id), { force: true }),
    async close() {
      clearInterval(timer);
      await rm(fileOf(owner), { force: true }).catch(() => {});
    },
  };
}
