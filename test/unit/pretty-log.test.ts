import { expect, test } from 'vitest';
import { formatLogLine } from '../../src/observe/format-log-line.ts';

const time = '2026-11-22T10:20:30.456Z';
const clock = new Date(time).toTimeString().slice(0, 8);

function pretty(fields: object): string {
  return formatLogLine(`${JSON.stringify({ level: 30, time, ...fields })}\n`);
}

const call = {
  request_id: 'req-1',
  method: 'latchkey.identity.v1.IssuanceService/IssueToken',
  transport: 'http',
  peer: '127.0.0.1',
  principal: 'service',
  principal_id: 'cli_1',
  code: 'ok',
  duration_ms: 3.1234,
  msg: 'call',
};

test('a call is one line', () => {
  expect(pretty(call)).toBe(
    `${clock} INFO  ok           3.1 ms  IssuanceService/IssueToken  http  cli_1  127.0.0.1\n`,
  );
});

test('a failed call shows its code and its request id', () => {
  const failed = { ...call, principal: 'anonymous', principal_id: '', code: 'unauthenticated' };
  expect(pretty(failed)).toBe(
    `${clock} INFO  unauthenticated    3.1 ms  IssuanceService/IssueToken  http  anonymous  ` +
      '127.0.0.1  req-1\n',
  );
});

test('a request for a route shows its status', () => {
  const { request_id, peer, duration_ms } = call;
  const route = { request_id, route: 'console', peer, status: 200, code: 'ok', duration_ms };
  expect(pretty({ ...route, msg: 'route' })).toBe(
    `${clock} INFO  200          3.1 ms  console  127.0.0.1\n`,
  );
});

test('any other line shows its message and its fields', () => {
  const line = pretty({
    level: 40,
    path: '/data',
    bytes: 5,
    msg: 'other users could open this path',
  });
  expect(line).toBe(`${clock} WARN  other users could open this path path=/data bytes=5\n`);
});

test('an error is followed by its stack trace', () => {
  const err = { type: 'Error', message: 'no', stack: 'Error: no\n    at f (a.ts:1:2)' };
  expect(pretty({ level: 50, err, msg: 'failed' })).toBe(
    `${clock} ERROR failed\n    Error: no\n    at f (a.ts:1:2)\n`,
  );
});

test('an error is followed by its cause and its parts', () => {
  const errors = [{ stack: 'Error: part\n    at h (c.ts:1:2)' }];
  const cause = { stack: 'Error: inner\n    at g (b.ts:1:2)', cause: 'a text', errors };
  const err = { stack: 'Error: outer\n    at f (a.ts:1:2)', cause };
  expect(pretty({ level: 50, err, msg: 'failed' })).toBe(
    [
      `${clock} ERROR failed\n`,
      '    Error: outer\n    at f (a.ts:1:2)\n',
      '    caused by: Error: inner\n    at g (b.ts:1:2)\n',
      '    caused by: a text\n',
      '    Error: part\n    at h (c.ts:1:2)\n',
    ].join(''),
  );
});

test('control characters do not reach the terminal', () => {
  const hostile = '\u001b[2Jx\u009b1m\u202e\ny';
  const line = pretty({ peer: hostile, err: { stack: hostile }, msg: hostile });
  expect(line).not.toMatch(/[^\n\P{C}]/u);
  expect(line).toContain('\\u{1b}[2Jx\\u{9b}1m\\u{202e}');
});
