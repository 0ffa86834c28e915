// Maps the errors of a store, and keeps them apart from those of the source that it reads.
import type { BlobStore } from './blob-store.ts';

/** Returns a function that wraps others, so that they throw the errors that `failureOf` returns. */
export function mapErrors(failureOf: (error: unknown) => unknown) {
  return <A extends unknown[], T>(work: (...args: A) => Promise<T>) =>
    (...args: A): Promise<T> =>
      work(...args).catch((error: unknown) => {
        throw failureOf(error);
      });
}

/** Distinguishes errors of a source from those of the store that reads it. */
export function watchSource(source: AsyncIterable<Uint8Array>) {
  const iterator = source[Symbol.asyncIterator]();
  let failed = false;
  // Without `throw`: a stream would use it to pass the error of the store to the source.
  const watched: AsyncIterableIterator<Uint8Array> = {
    async next() {
      try {
        return await iterator.next();
      } catch (error) {
        failed = true;
        throw error;
      }
    },
    async return() {
      await iterator.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => watched,
  };
  return { source: watched, hasFailed: () => failed };
}

/** Returns a function that maps the errors of a write, but not those of its source. */
export function mapWriteErrors(
  failureOf: (error: unknown) => unknown,
  write: BlobStore['write'],
): BlobStore['write'] {
  return async (id, source) => {
    const watched = watchSource(source);
    await write(id, watched.source).catch((error: unknown) => {
      throw watched.hasFailed() ? error : failureOf(error);
    });
  };
}
