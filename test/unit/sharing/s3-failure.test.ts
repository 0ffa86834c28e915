import { describe, expect } from 'vitest';
import { fail } from '../../../src/base/errors/errors.ts';
import { DamagedBlob } from '../../../src/base/files/damaged-blob.ts';
import { describeStoreError, s3FailureOf } from '../../../src/base/s3/failure.ts';
import { itHoldsFor } from '../../support/rule.ts';

/** An error as the AWS SDK throws it for a response. */
const responded = (name: string, httpStatusCode: number) =>
  Object.assign(new Error('a message'), { name, $metadata: { httpStatusCode } });

const named = (name: string, facts = {}) =>
  Object.assign(new Error('a message'), { name, ...facts });

describe('an error of an S3 store', () => {
  itHoldsFor([
    responded('NoSuchBucket', 404),
    responded('AccessDenied', 403),
    responded('SlowDown', 503),
    responded('XAmzContentSHA256Mismatch', 400),
    responded('UnknownError', 500),
    named('TimeoutError'),
    named('AbortError'),
    named('CredentialsProviderError'),
    named('Error', { code: 'ENOTFOUND' }),
    named('TimeoutError', { code: 'ECONNRESET', $metadata: { attempts: 2 } }),
    named('Error', { code: 'CERT_HAS_EXPIRED' }),
  ])('becomes unavailable', (error) => {
    expect(s3FailureOf(error)).toMatchObject({
      code: 'unavailable',
      message: 'The document store is unreachable.',
      extra: { retryAfterSeconds: 5, cause: error },
    });
  });

  itHoldsFor([
    responded('XMinioStorageFull', 507),
    responded('QuotaExceeded', 403),
    responded('Unknown', 507),
  ])('an error of a full store is known', (error) => {
    expect(s3FailureOf(error)).toMatchObject({
      code: 'unavailable',
      message: 'The document store is full.',
      extra: { retryAfterSeconds: 60 },
    });
  });

  itHoldsFor([
    new TypeError('a bug'),
    new DamagedBlob('x', 'size'),
    fail('canceled', 'The upload stalled.'),
    'text',
  ])('is unchanged if it is another error', (error) => {
    expect(s3FailureOf(error)).toBe(error);
  });
});

describe('the reason for an operator', () => {
  itHoldsFor([
    [responded('NoSuchBucket', 404), 'the bucket does not exist; check LATCHKEY_BLOB_URL'],
    [
      s3FailureOf(responded('AccessDenied', 403)),
      'the credentials lack a permission; check the bucket policy',
    ],
    [
      named('CredentialsProviderError'),
      'the AWS SDK finds no credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    ],
    [responded('InvalidAccessKeyId', 403), /access key; check AWS_ACCESS_KEY_ID$/],
    [responded('SignatureDoesNotMatch', 403), /is wrong; check AWS_SECRET_ACCESS_KEY$/],
    [responded('SlowDown', 503), 'the store responded with 503 SlowDown; check LATCHKEY_BLOB_URL'],
    [named('Error', { code: 'ENOTFOUND' }), 'a message; check LATCHKEY_BLOB_URL'],
    [named('TimeoutError'), 'a message; check LATCHKEY_BLOB_URL'],
    ['text', 'text; check LATCHKEY_BLOB_URL'],
    [new Error('set LATCHKEY_X'), 'set LATCHKEY_X'],
  ])('is described', (error, reason) => {
    const text = describeStoreError(error);
    if (typeof reason === 'string') expect(text).toBe(reason);
    else expect(text).toMatch(reason);
  });
});
