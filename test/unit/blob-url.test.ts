import { expect } from 'vitest';
import { problemsOf } from '../support/config-problems.ts';
import { itHoldsFor } from '../support/rule.ts';

itHoldsFor([
  ['s3://', 'invalid bucket name'],
  ['s3://key:hunter2@docs', 'must not contain credentials'],
  ['s3://do', 'invalid bucket name'],
  ['s3://docs:9000', 'invalid bucket name'],
  ['s3://docs//a', 'invalid prefix'],
  ['s3://docs/a/../b', 'invalid prefix'],
  ['s3://docs/a%20b', 'invalid prefix'],
  ['s3://docs?regoin=x', 'unknown parameter'],
  ['s3://docs?region=a&region=b', 'region twice'],
  ['s3://docs?region=', 'region must be'],
  ['s3://docs?endpoint=s3.example', 'endpoint must be'],
  ['s3://docs?endpoint=https://key:hunter2@s3.example', 'endpoint must be'],
  ['s3://docs?endpoint=https://s3.example/path', 'endpoint must be'],
  ['s3://docs?path_style=yes', 'path_style must be'],
])('LATCHKEY_BLOB_URL must not have another form', (value, message) => {
  const problems = problemsOf({ LATCHKEY_BLOB_URL: value });
  expect(problems).toEqual([expect.stringContaining(message)]);
  expect(problems[0]).toMatch(/^LATCHKEY_BLOB_URL: /);
  expect(problems[0]).not.toContain('hunter2');
});
