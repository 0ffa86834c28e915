// Maps errors of an S3 store to errors of the catalogue.
import { Failure, fail } from '../errors/errors.ts';
import { DamagedBlob } from '../files/damaged-blob.ts';
import { errorCodeOf } from '../files/error-code.ts';

/** The codes of a store without space (MinIO, Ceph, Wasabi). */
const fullCodes = new Set(['XMinioStorageFull', 'QuotaExceeded', 'InsufficientStorage']);

/** Errors of the SDK and of Node's HTTP client that have no code. */
const awayNames = new Set([
  'AbortError',
  'CredentialsProviderError',
  'ProviderError',
  'TimeoutError',
  'TokenProviderError',
]);

/** Converts an error of the store to `unavailable`. Returns other errors unchanged. */
export function s3FailureOf(error: unknown): unknown {
  if (error instanceof Failure || error instanceof DamagedBlob) return error;
  const { name, status } = describeS3Error(error);
  if (fullCodes.has(name) || status === 507) {
    const detail = 'The document store is full.';
    return fail('unavailable', detail, { cause: error, retryAfterSeconds: 60 });
  }
  if (status === undefined && !awayNames.has(name) && errorCodeOf(error) === '') return error;
  const detail = 'The document store is unreachable.';
  return fail('unavailable', detail, { cause: error, retryAfterSeconds: 5 });
}

/** Returns an error that, like a timeout, makes the store unavailable. */
export function brokenResponse(message: string): Error {
  return Object.assign(new Error(message), { name: 'TimeoutError' });
}

/** The S3 error code, and the status if the store sent a response. */
export function describeS3Error(error: unknown): { name: string; status: number | undefined } {
  const name = error instanceof Error ? error.name : '';
  const metadata = error instanceof Error && '$metadata' in error ? error.$metadata : undefined;
  // The SDK adds this object to each error that it throws for a response.
  const status = (metadata as { httpStatusCode?: number } | undefined)?.httpStatusCode;
  return { name, status };
}

const lacking = 'the credentials lack a permission; check the bucket policy';
const remedy = 'check LATCHKEY_BLOB_URL';

const reasons: ReadonlyMap<string, string> = new Map([
  ['AbortError', `the store did not respond in time; ${remedy}`],
  ['AccessDenied', lacking],
  [
    'CredentialsProviderError',
    'the AWS SDK finds no credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
  ],
  ['Forbidden', lacking],
  ['InvalidAccessKeyId', 'the store does not know the access key; check AWS_ACCESS_KEY_ID'],
  ['NoSuchBucket', `the bucket does not exist; ${remedy}`],
  ['SignatureDoesNotMatch', 'the secret key is wrong; check AWS_SECRET_ACCESS_KEY'],
]);

/** Returns the reason for an error of a store, and the setting to check, for operators. */
export function describeStoreError(error: unknown): string {
  const cause = error instanceof Failure ? error.extra.cause : error;
  const { name, status } = describeS3Error(cause);
  const reason = reasons.get(name);
  if (reason !== undefined) return reason;
  if (status !== undefined) return `the store responded with ${status} ${name}; ${remedy}`;
  const message = cause instanceof Error ? cause.message || name : String(cause);
  return message.includes('LATCHKEY_') ? message : `${message}; ${remedy}`;
}
