// Stores the bytes of documents. A store knows no documents: staged-blobs.ts decides which blobs
// stay. The errors of a store are kept apart from those of the source that it reads.
import { Failure, fail } from '../../base/errors/errors.ts';
import { errorCodeOf } from '../../base/files/error-code.ts';

export type BlobPart = {
  readonly offset: number;
  readonly length: number;
  /** The size of the whole blob. */
  readonly sizeBytes: number;
};

export type BlobHeaders = { readonly contentType: string; readonly contentDisposition: string };

/** Every method throws `unavailable` if the store cannot be reached. */
export type BlobStore = {
  /**
   * Writes a new blob. Throws if the id exists. After it returns, the bytes survive a crash. If it
   * fails, it may leave parts behind.
   */
  write(id: string, source: AsyncIterable<Uint8Array>): Promise<void>;
  /**
   * Reads a part of a blob, in chunks of at most 256 KiB. Throws `DamagedBlob` before the first
   * chunk if the blob is missing or has another size, and before any chunk if it cannot be read.
   */
  read(id: string, part: BlobPart): AsyncIterable<Uint8Array>;
  /**
   * Returns a secret URL from which anyone can read the blob for some seconds, also in ranges. Only
   * an S3 store has URLs.
   */
  presign?(id: string, seconds: number, headers: BlobHeaders): Promise<string>;
  /**
   * Removes a blob and the parts that an interrupted write left. After it returns, the removal
   * survives a crash. Returns normally if nothing exists.
   */
  remove(id: string): Promise<void>;
  /** Throws if the store is not writable. */
  check(): Promise<void>;
  close(): Promise<void>;
};

/** A store with a marker: an object or file that contains the id of the store. */
export type MarkedStore = BlobStore & {
  /** Names the store for operators. */
  readonly place: string;
  /** The setting or volume that operators check if the store is wrong. */
  readonly remedy: string;
  /** How long a comparison of the id stays valid, in milliseconds. */
  readonly idValidMs: number;
  /** Returns whether the store contains only data of another program. */
  isForeign(): Promise<boolean>;
  /** Returns an empty text if the store has no marker or its marker is empty. */
  readId(): Promise<string>;
  writeId(id: string): Promise<void>;
};

/** Returns the id. Throws if the id could name something outside the folder or prefix. */
export function requireBlobId(id: string): string {
  if (/^\w{1,100}$/.test(id)) return id;
  throw new Error(`"${id}" is not the id of a blob`);
}

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

const fullCodes = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** The store is missing, read-only or broken, or the process has no file descriptors left. */
const awayCodes = new Set([
  'EACCES',
  'EBUSY',
  'EHOSTDOWN',
  'EIO',
  'EMFILE',
  'ENFILE',
  'ENODEV',
  'ENOENT',
  'ENOTCONN',
  'ENOTDIR',
  'ENXIO',
  'EPERM',
  'EROFS',
  'ESTALE',
  'ETIMEDOUT',
]);

const isDiskFullError = (error: unknown) => fullCodes.has(errorCodeOf(error));

/** Returns an error handler that ignores these codes and rethrows other errors. */
export function ignoreErrorCodes(...codes: string[]): (error: unknown) => undefined {
  return (error) => {
    if (!codes.includes(errorCodeOf(error))) throw error;
  };
}

/** Converts an error of the file system to `unavailable`. Returns other errors unchanged. */
export function blobStoreFailureOf(error: unknown): unknown {
  if (error instanceof Failure) return error;
  if (isDiskFullError(error)) {
    const detail = 'The document store is full.';
    return fail('unavailable', detail, { cause: error, retryAfterSeconds: 60 });
  }
  if (!awayCodes.has(errorCodeOf(error))) return error;
  const detail = 'The document store is unreachable.';
  return fail('unavailable', detail, { cause: error, retryAfterSeconds: 5 });
}
