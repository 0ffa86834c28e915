// How the processes that share a blob folder know of one another. Each has a random id, as the
// process ids of two containers may be equal, and renews a file `leases/<id>`.
import { randomUUID } from 'node:crypto';
import { access, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { unlessCode } from './store-failure.ts';

export type Lease = {
  /** The id of this process. */
  readonly owner: string;
  /** Makes the file of this process if it is missing. Throws where that is not possible. */
  hold(): Promise<void>;
  /** The ids of the processes that have a lease. */
  owners(): Promise<string[]>;
  /** Differs each time that a process has renewed its lease; empty where there is none. */
  markOf(owner: string): Promise<string>;
  /** Removes a lease. */
  remove(owner: string): Promise<void>;
  /** Ends the renewals, and the lease with them. */
  close(): Promise<void>;
};

/** Opens the lease of this process and renews it ten times within `leaseMs`. */
export function openLease(root: string, leaseMs: number): Lease {
  const owner = randomUUID();
  const folder = path.join(root, 'leases');
  const fileOf = (one: string) => path.join(folder, one);
  let heldUntil = 0;

  /** Truncates an empty file, which sets its time and needs no room on a full disk. */
  async function renew(): Promise<void> {
    await (await open(fileOf(owner), 'w', 0o600)).close();
    heldUntil = performance.now() + leaseMs / 2;
  }

  // Where it fails, the next upload fails, too, and says why.
  const timer = setInterval(() => void renew().catch(() => {}), leaseMs / 10).unref();

  return {
    owner,
    async hold() {
      if (performance.now() < heldUntil) return;
      // A store that is away, such as a volume that is not mounted, must not be made again.
      await access(path.join(root, 'pending'));
      await mkdir(folder, { mode: 0o700 }).catch(unlessCode('EEXIST'));
      await renew();
    },
    owners: () =>
      readdir(folder)
        .catch(unlessCode('ENOENT'))
        .then((names) => names ?? []),
    async markOf(one) {
      const found = await stat(fileOf(one), { bigint: true }).catch(unlessCode('ENOENT'));
      return found === undefined ? '' : `${found.ino} ${found.mtimeNs} ${found.ctimeNs}`;
    },
    remove: (one) => rm(fileOf(one), { force: true }),
    async close() {
      clearInterval(timer);
      await rm(fileOf(owner), { force: true }).catch(() => {});
    },
  };
}
