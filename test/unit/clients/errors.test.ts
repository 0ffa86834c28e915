import { expect, it } from 'vitest';
import { latchkeyErrorOf, latchkeyErrorOfAnswer } from '../../../clients/client/src/errors.ts';
import { errorCodesModule } from '../../../scripts/errors-doc.ts';
import { itHoldsFor } from '../../support/rule.ts';
import { readText } from '../../tidy/files.ts';

const answer = (status: number, text = '', headers: Record<string, string> = {}) =>
  latchkeyErrorOfAnswer({ status, text, header: (name) => headers[name] ?? null });

it('the codes of the client are those of the catalogue', () => {
  // If this fails, run `npm run generate`.
  expect(readText('clients/client/src/error-codes.ts')).toBe(errorCodesModule());
});

it('a problem is read with its fields, its request id and Retry-After', () => {
  const problem = {
    code: 'rate_limited',
    detail: 'Wait.',
    request_id: 'r1',
    errors: [{ field: 'name', detail: 'is empty' }],
  };
  expect(answer(429, JSON.stringify(problem), { 'retry-after': '7' })).toMatchObject({
    code: 'rate_limited',
    message: 'Wait.',
    requestId: 'r1',
    retryAfterSeconds: 7,
    fields: problem.errors,
  });
});

it('a problem with members of other types is read without them', () => {
  const problem = {
    ...{ code: ['conflict'], detail: 7, request_id: {} },
    errors: [null, 'name', { field: { toString: 1 }, detail: [] }],
  };
  const empty = { field: '', detail: '' };
  expect(answer(404, JSON.stringify(problem))).toMatchObject({
    ...{ code: 'not_found', message: 'HTTP status 404', fields: [empty, empty, empty] },
  });
});

it('Retry-After may be a date', () => {
  const date = new Date(Date.now() + 60_000).toUTCString();
  const { retryAfterSeconds = 0 } = answer(503, '', { 'retry-after': date });
  expect(retryAfterSeconds).toBeGreaterThan(30);
  expect(answer(503, '', { 'retry-after': 'soon' }).retryAfterSeconds).toBeUndefined();
});

itHoldsFor([
  // Addresses of both families, as for localhost.
  [Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' }), ': ECONNREFUSED'],
  [Object.assign(new Error('self-signed'), { code: 'DEPTH_ZERO' }), ': self-signed (DEPTH_ZERO)'],
  [new Error('unexpected redirect'), ': unexpected redirect'],
  [undefined, '.'],
])('a failed fetch names the server and the cause', (cause, end) => {
  const error = latchkeyErrorOf(new TypeError('fetch failed', { cause }), 'https://a.example.com');
  expect(error).toMatchObject({
    code: 'connection_failed',
    message: `The connection to https://a.example.com failed${end}`,
  });
});

it('an answer of a proxy has the code of its status', () => {
  expect(answer(502, '<html>').code).toBe('unavailable');
  expect(answer(418, '[]').code).toBe('unexpected_answer');
  expect(answer(400, '{"code":"from_the_future"}').code).toBe('unexpected_answer');
});
