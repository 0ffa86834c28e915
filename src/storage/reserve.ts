// Room for deletions on a full disk. SQLite writes a deletion to its log first, which needs room:
// where the disk is full, nothing could be deleted and no room be made. A start uses it, too.
import { randomBytes } from 'node:crypto';
import { open, rm, stat } from 'node:fs/promises';
import { databaseIsFull } from './database.ts';
import { reserveFileOf } from './sqlite.ts';

/** A deletion with many links and views writes this much at most, nearly always. */
const reserveBytes = 4 * 1024 * 1024;
const blockBytes = 256 * 1024;

export type Reserve = {
  /** Runs a deletion; where the database has no room for it, again with the reserve released. */
  use<T>(work: () => Promise<T>): Promise<T>;
  /** Fills the reserve as far as there is room. */
  fill(): Promise<void>;
};

/** A file next to that of an SQLite database; a PostgreSQL server keeps its own room. */
export function createReserve(databaseUrl: string): Reserve {
  if (!databaseUrl.startsWith('sqlite:')) return { use: (work) => work(), fill: async () => {} };
  const file = reserveFileOf(databaseUrl.slice('sqlite:'.length));
  let last: Promise<unknown> = Promise.resolve();

  /** One after the other: two that use the reserve at once would find half of it each. */
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
        if (!databaseIsFull(error)) throw error;
        return inTurn(async () => {
          await rm(file, { force: true }).catch(() => {});
          return work();
        });
      }
    },
    fill: () => inTurn(() => fillFile(file).catch(() => {})),
  };
}

/** Random bytes, as a file system that compresses would not keep room for zeros. */
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
