// Reserves disk space for deletions and revocations. SQLite first writes a change to its log, so on
// a full disk it could neither free space nor revoke a leaked credential. Starting on a full disk
// uses the reserve, too. A check before each write cannot replace it: other programs may fill the
// disk.
import { randomBytes } from 'node:crypto';
import { open, rm, stat } from 'node:fs/promises';
import { isDatabaseFull } from './database.ts';
import { reserveFileOf } from './drivers/sqlite.ts';

/** Almost every such change writes less than this, even with many links and views. */
const reserveBytes = 4 * 1024 * 1024;
const blockBytes = 256 * 1024;

export type DiskReserve = {
  /** If the disk is full, releases the reserve, repeats the change, and refills the reserve. */
  use<T>(work: () => Promise<T>): Promise<T>;
  fill(): Promise<void>;
};

/** Returns the reserve, a file next to the SQLite database. PostgreSQL needs none. */
export function createDiskReserve(databaseUrl: string): DiskReserve {
  if (!databaseUrl.startsWith('sqlite:')) return { use: (work) => work(), fill: async () => {} };
  const file = reserveFileOf(databaseUrl.slice('sqlite:'.length));
  let last: Promise<unknown> = Promise.resolve();

  /** Runs calls one at a time: two concurrent calls would each get only part of the reserve. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  }

  return {
    async use(work) {
      try {
        return await work();
      } catch (error) {
        if (!isDatabaseFull(error)) throw error;
        return inTurn(async () => {
          await rm(file, { force: true }).catch(() => {});
          return work().finally(() => fillFile(file).catch(() => {}));
        });
      }
    },
    fill: () => inTurn(() => fillFile(file).catch(() => {})),
  };
}

/** Writes random bytes, because a compressing file system would reserve no space for zeros. */
async function fillFile(file: string): Promise<void> {
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  );
  if (size >= reserveBytes) return;
  const handle = await open(file, 'a', 0o600);
  try {
    for (let at = size; at < reserveBytes; at += blockBytes) {
      await handle.writeFile(randomBytes(Math.min(blockBytes, reserveBytes - at)));
    }
  } finally {
    await handle.close();
  }
}
