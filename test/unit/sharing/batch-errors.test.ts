// The fields of errors in the methods for several links.
import { expect, it } from 'vitest';
import { type Failure, fail, invalid } from '../../../src/base/errors/errors.ts';
import { inBatch } from '../../../src/sharing/links/batches.ts';

const failureOf = (failure: Failure): Promise<Failure> =>
  inBatch('requests[3]', () => Promise.reject(failure), '.link_id').catch((error) => error);

it('an error about a request names its position', async () => {
  const cases: [Failure, field: string][] = [
    [invalid('name', 'is required'), 'requests[3].name'],
    [fail('not_found', 'The workspace has no such link.'), 'requests[3].link_id'],
    [fail('conflict', 'The link was revoked.'), 'requests[3].link_id'],
    [fail('precondition_failed', 'The link has changed.'), 'requests[3].link_id'],
  ];
  for (const [failure, field] of cases) {
    const { code, message, extra } = await failureOf(failure);
    expect(code).toBe(failure.code);
    expect(message).toMatch(`${field}: `);
    expect(extra.fields?.map((one) => one.field)).toEqual([field]);
  }
});

it('an error about the load of the service names no request', async () => {
  for (const code of ['rate_limited', 'unavailable', 'canceled'] as const) {
    const failure = fail(code, 'Try again.', { retryAfterSeconds: 1 });
    expect(await failureOf(failure)).toBe(failure);
  }
});
