// Requests that arrive slowly or not at all, and connections beyond the limit.
import { describe, expect, onTestFinished, test } from 'vitest';
import { startTestApp, type TestApp, type TestAppOptions } from '../support/harness.ts';
import { openRawHttp, type RawHttp, type RawResponse, requestHead } from '../support/raw-http.ts';
import { itHoldsFor } from '../support/rule.ts';
import { useStarted } from '../support/use-started.ts';
import { expectDate, host, jwks } from './hostile.ts';

/** 30 seconds in production. */
const requestMs = 2_000;
const uploadMs = 4_000;
const connectionsMax = 60;

const app = useStarted(() => startTestApp({ httpLimits: { requestMs, uploadMs } }));

async function open(to = app): Promise<RawHttp> {
  const connection = await openRawHttp(Number(new URL(to.app.publicUrl).port));
  onTestFinished(() => connection.reset());
  return connection;
}

/** A separate app with other limits. */
async function startWith(httpLimits: TestAppOptions['httpLimits'] & object): Promise<TestApp> {
  const other = await startTestApp({ httpLimits });
  onTestFinished(() => other.remove());
  return other;
}

const givenUpMs = 25_000;

type Cut = { readonly ms: number; readonly response: RawResponse | undefined };

/** Sends the head, then one byte at a time, until the peer closes; gives up after a while. */
async function trickle(head: string, byte = ' ', connected?: RawHttp): Promise<Cut> {
  // The server counts from the connection on, if it is new.
  const started = performance.now();
  const connection = connected ?? (await open());
  const elapsed = () => performance.now() - started;
  let ended = false;
  const response = (async () => {
    await connection.write(head);
    const first = await connection.response();
    await connection.response();
    ended = true;
    return first;
  })();
  while (!ended && elapsed() < givenUpMs) {
    await connection.write(byte);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const ms = elapsed();
  if (!ended) connection.reset();
  return { ms, response: await response };
}

const length = { ...host, 'Content-Length': '1000' };
const json = { ...length, 'Content-Type': 'application/json' };
const form = { ...length, 'Content-Type': 'application/x-www-form-urlencoded' };
const key = () => ({ Authorization: `Bearer ${app.env.API_KEY}` });

const slow: [string, head: () => string][] = [
  ['a token request', () => requestHead('POST', '/tokens', json)],
  ['a token form', () => requestHead('POST', '/tokens', form)],
  ['the form of a gate', () => requestHead('POST', `/s/${'0'.repeat(22)}`, form)],
  ['an accepted caller', () => requestHead('POST', '/api/v1/links', { ...json, ...key() })],
  [
    'a Connect request',
    () => requestHead('POST', '/latchkey.identity.v1.IssuanceService/IssueToken', json),
  ],
  ['headers', () => 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: '],
];

itHoldsFor(
  slow,
  6,
  'together',
)('a request that arrives a byte at a time is aborted in time', async (_what, head) => {
  const { ms, response } = await trickle(head());
  expect(ms).toBeGreaterThan(requestMs - 500);
  expect(ms).toBeLessThan(givenUpMs);
  expect(response?.status).toBe(408);
  expectDate(response);
});

test('a connection that sends nothing is closed in time', async () => {
  const started = performance.now();
  const connection = await open();
  await connection.response();
  expect(await connection.response()).toBeUndefined();
  expect(performance.now() - started).toBeLessThan(givenUpMs);
});

describe('an upload', () => {
  const boundary = 'frontier';
  const head = (bytes: number, { env } = app) =>
    requestHead('POST', '/api/v1/documents', {
      ...host,
      Authorization: `Bearer ${env.API_KEY}`,
      'Content-Type': `multipart/form-data; boundary=${boundary}`,
      'Content-Length': String(bytes),
    });
  const disposition = 'Content-Disposition: form-data; name="file"; filename="a.txt"';
  const start = `--${boundary}\r\n${disposition}\r\n\r\n`;
  const end = `\r\n--${boundary}--\r\n`;

  test('may take longer, but not the next request', async () => {
    const patient = await startWith({ requestMs });
    const connection = await open(patient);
    const bytes = 30;
    await connection.write(head(start.length + bytes + end.length, patient) + start);
    for (let i = 0; i < bytes; i++) {
      await connection.write('x');
      await new Promise((resolve) => setTimeout(resolve, (requestMs + 1_500) / bytes));
    }
    await connection.write(end);
    expect(await connection.response()).toMatchObject({ status: 201 });
    const { ms, response } = await trickle(requestHead('POST', '/tokens', json), ' ', connection);
    expect(ms).toBeLessThan(givenUpMs);
    expect(response?.status).toBe(408);
  });

  test('also has a time limit', async () => {
    const { ms } = await trickle(head(1_000_000) + start, 'x');
    expect(ms).toBeGreaterThan(uploadMs - 500);
    expect(ms).toBeLessThan(givenUpMs);
  });
});

test('connections above the limit are closed, and closing others makes room again', async () => {
  const few = await startWith({ connectionsMax });
  const silent = await Promise.all(Array.from({ length: connectionsMax }, () => open(few)));
  const further = await open(few);
  await further.write(jwks);
  expect(await further.response()).toBeUndefined();
  for (const one of silent) one.reset();
  await expect
    .poll(async () => {
      const next = await open(few);
      await next.write(jwks);
      const status = (await next.response())?.status;
      next.reset();
      return status;
    })
    .toBe(200);
});
