import { expect, test } from 'vitest';
import { readConfig } from '../../src/base/config/config.ts';
import { problemsOf } from '../support/config-problems.ts';
import { itHoldsFor } from '../support/rule.ts';

itHoldsFor([
  'postgres://h/d',
  'postgres://user:hunter2@h:5432/d?sslmode=verify-full&sslrootcert=/etc/ca.pem',
  'postgres://h/d?sslmode=require&sslcert=/a.crt&sslkey=/a.key',
  'postgres://h/d?sslmode=no-verify',
  'postgres://h/d?sslmode=disable&application_name=latchkey%20a',
  'postgres://h/d?sslmode=verify-ca&sslrootcert=/ca.pem&uselibpqcompat=true',
  'postgres://h/d?sslmode=verify-full&sslnegotiation=direct',
  'postgresql:///d?host=/run/postgresql&port=5433&user=u&password=p%40ss',
  'postgres://h/d?options=-csearch_path%3Dlatchkey',
])('LATCHKEY_DATABASE_URL may have these forms', (value) => {
  expect(readConfig({ LATCHKEY_DATABASE_URL: value }).databaseUrl).toBe(value);
});

itHoldsFor([
  ['ssl_mode=verify-full', 'has the unknown parameter ssl_mode; known are sslmode, '],
  ['SSLMODE=verify-full', 'has the unknown parameter SSLMODE; known are sslmode, '],
  ['ssl=true', 'has the unknown parameter ssl; known are sslmode, '],
  ['constructor=x', 'has the unknown parameter constructor; known are sslmode, '],
  ['connect_timeout=5', 'connect_timeout has no effect; set LATCHKEY_DATABASE_CONNECT_SECONDS'],
  ['sslmode=bogus', 'sslmode must be one of disable, no-verify, prefer, require, verify-ca, '],
  ['sslmode=', 'sslmode must be one of disable, '],
  ['sslmode=allow', 'sslmode must be one of disable, '],
  ['sslmode=disable&sslmode=verify-full', 'has the parameter sslmode twice'],
  ['sslmode=disable&sslrootcert=/ca.pem', 'sslmode=disable permits no sslrootcert'],
  ['sslrootcert=', 'sslrootcert must be the path of a file'],
  ['sslcert=&sslkey=/a.key', 'sslcert must be the path of a file'],
  ['port=x', 'port must be a number from 1 to 65535'],
  ['sslnegotiation=fast', 'sslnegotiation must be postgres or direct'],
  ['uselibpqcompat=yes', 'uselibpqcompat must be true'],
  [`application_name=${'a'.repeat(64)}`, 'application_name must have 1 to 63 bytes'],
])('the parameters of LATCHKEY_DATABASE_URL must not have another form', (query, message) => {
  const value = `postgres://user:hunter2@h/d?${query}`;
  const problems = problemsOf({ LATCHKEY_DATABASE_URL: value });
  expect(problems).toEqual([expect.stringContaining(`LATCHKEY_DATABASE_URL: ${message}`)]);
  expect(problems[0]).not.toContain('hunter2');
});

itHoldsFor([
  'postgres://user:1?hunter2@h/d',
  'postgres://user:1?a&hunter2=b@h/d',
  'postgres://user:1#hunter2@h/d',
  'postgres://user:1?hunter2&x@h/d',
])('a password with unencoded characters is refused and not shown', (value) => {
  const problems = problemsOf({ LATCHKEY_DATABASE_URL: value });
  expect(problems).toEqual([
    'LATCHKEY_DATABASE_URL: must have the characters ?, # and @ of its values percent-encoded',
  ]);
});

test('an unknown parameter is not shown if its name is unusual', () => {
  const value = 'postgres://h/d?hunter2%40=x';
  const problems = problemsOf({ LATCHKEY_DATABASE_URL: value });
  expect(problems[0]).toMatch(/^LATCHKEY_DATABASE_URL: has an unknown parameter; known are /);
});
