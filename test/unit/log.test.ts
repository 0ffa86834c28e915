import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { fail } from '../../src/base/errors/errors.ts';
import { createLog } from '../../src/observe/log.ts';
import { itHoldsFor } from '../support/rule.ts';

/** Logs an error, and returns the line. */
async function lineOf(err: unknown): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-log-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = path.join(folder, 'log.jsonl');
  const { log, flush } = createLog({ level: 'info', file });
  log.error({ err }, 'failed');
  await flush();
  return readFile(file, 'utf8');
}

const fieldsOf = async (err: unknown) => JSON.parse(await lineOf(err)).err;

/** Creates an error like one of the AWS SDK. A store can repeat the credentials of a request. */
const refused = () =>
  Object.assign(new Error('The provided token has expired.'), {
    name: 'ExpiredToken',
    $fault: 'client',
    $metadata: { httpStatusCode: 400, requestId: 'secret-request' },
    Code: 'ExpiredToken',
    'Token-0': 'secret-token',
    AWSAccessKeyId: 'secret-key-id',
    CanonicalRequest: 'PUT\n/\n\nx-amz-security-token:secret-token',
    inner: { deep: { value: 'secret-deep' } },
  });

test('an error of a store is logged without the fields that can contain credentials', async () => {
  expect(await fieldsOf(refused())).toEqual({
    type: 'Error',
    name: 'ExpiredToken',
    message: 'The provided token has expired.',
    stack: expect.stringContaining('log.test.ts'),
    status: 400,
  });
});

itHoldsFor([
  ['the cause of an error', () => new Error('outer', { cause: refused() })],
  ['the cause of a failure', () => fail('unavailable', 'Unreachable.', { cause: refused() })],
  ['a part of several errors', () => new AggregateError([refused()], 'all failed')],
  ['not an Error', () => ({ ...refused(), message: 'a message' })],
])('the log contains no credential of an error', async (_, create) => {
  const line = await lineOf(create());
  expect(line).not.toContain('secret');
  expect(line).toContain('ExpiredToken');
});

test('an error is logged with its causes, their codes and their status', async () => {
  const system = Object.assign(new Error('connect failed'), { code: 'ECONNREFUSED', port: 1 });
  const cause = new AggregateError([system], '', { cause: 'a text' });
  expect(await fieldsOf(fail('unavailable', 'Unreachable.', { cause }))).toEqual({
    type: 'Failure',
    message: 'Unreachable.',
    stack: expect.stringContaining('log.test.ts'),
    code: 'unavailable',
    status: 503,
    cause: {
      type: 'AggregateError',
      message: '',
      stack: expect.stringContaining('log.test.ts'),
      cause: 'a text',
      errors: [
        {
          type: 'Error',
          message: 'connect failed',
          stack: expect.stringContaining('log.test.ts'),
          code: 'ECONNREFUSED',
        },
      ],
    },
  });
});

test('an error of PostgreSQL is logged with its code, without the values of a row', async () => {
  const error = new pg.DatabaseError('duplicate key value violates "users_email"', 1, 'error');
  Object.assign(error, { code: '23505', detail: 'Key (email)=(secret@example.com) exists.' });
  expect(await fieldsOf(error)).toEqual({
    type: 'DatabaseError',
    name: 'error',
    message: 'duplicate key value violates "users_email"',
    stack: expect.stringContaining('log.test.ts'),
    code: '23505',
  });
});

test('an error that is its own cause is logged', async () => {
  const error = new Error('endless');
  error.cause = error;
  expect(await lineOf(error)).toContain('"message":"endless"');
});

itHoldsFor(['a text', 5, null])('an error that is a value is logged unchanged', async (error) => {
  expect(await fieldsOf(error)).toBe(error);
});

itHoldsFor([
  ['without constant fields', undefined],
  ['with constant fields', { pid: 7, name: 'a "b"' }],
])('a line of JSON fields is the same as a line of an object', async (_, fields) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-log-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = path.join(folder, 'log.jsonl');
  const { log, flush } = createLog({ level: 'info', file, ...(fields && { fields }) });
  for (const level of ['info', 'error'] as const) {
    log[level]({ a: 'x"y', b: 0.125 }, 'call');
    log.json(level, '"a":"x\\"y","b":0.125', 'call');
  }
  log.level = 'error';
  log.json('info', '"c":1', 'call');
  await flush();
  const lines = (await readFile(file, 'utf8')).replace(/"time":"[^"]+"/g, '"time":""').split('\n');
  expect(lines).toHaveLength(5);
  expect(lines[1]).toBe(lines[0]);
  expect(lines[3]).toBe(lines[2]);
});
