// Maps errors of the file system to errors of the catalogue.
import { Failure, fail } from '../../base/errors/errors.ts';
import { errorCodeOf } from '../../base/files/error-code.ts';

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
