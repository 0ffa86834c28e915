// Raw requests to a real app, each on a separate connection. After each test the app must still
// answer.
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { openRawHttp, type RawHttp, type RawResponse, requestHead } from '../support/raw-http.ts';

export const host = { Host: 'latchkey.test' };
export const jwks = requestHead('GET', '/.well-known/jwks.json', host);

export type Hostile = {
  readonly app: TestApp;
  readonly port: number;
  readonly connection: RawHttp;
  exchange(bytes: string | Uint8Array): Promise<RawResponse | undefined>;
  /** Sends bytes on a new connection. */
  ask(bytes: string | Uint8Array): Promise<RawResponse | undefined>;
};

/** Call this at the top of a suite, and use the result only inside of its tests. */
export function hostileClient(): Hostile {
  const client = {} as { app: TestApp; port: number; connection: RawHttp };
  beforeAll(async () => {
    client.app = await startTestApp();
    client.port = Number(new URL(client.app.app.publicUrl).port);
  });
  afterAll(() => client.app.remove());
  beforeEach(async () => {
    client.connection = await openRawHttp(client.port);
  });
  afterEach(async () => {
    client.connection.reset();
    const { status } = await fetch(`${client.app.app.publicUrl}/.well-known/jwks.json`);
    expect(status).toBe(200);
  });
  return Object.assign(client, {
    async exchange(bytes: string | Uint8Array) {
      await client.connection.write(bytes);
      return client.connection.response();
    },
    async ask(bytes: string | Uint8Array) {
      const connection = await openRawHttp(client.port);
      await connection.write(bytes);
      return connection.response().finally(() => connection.reset());
    },
  });
}

/** An HTTP date (RFC 9110 §5.6.7). Each response has one (§6.6.1). */
const datePattern = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

export function expectDate(response: RawResponse | undefined): void {
  expect(response?.headers.get('date')).toMatch(datePattern);
}

export function post(path: string, body: string, headers: Record<string, string> = {}): string {
  const length = String(Buffer.byteLength(body));
  const all = { ...host, 'Content-Type': 'application/json', 'Content-Length': length, ...headers };
  return requestHead('POST', path, all) + body;
}

/** Expects the error body that every route returns. */
export function expectProblem(
  response: RawResponse | undefined,
  status: number,
  code: string,
): void {
  const text = response?.body.toString() ?? '';
  expect(response, text).toMatchObject({ status, complete: true });
  expect(response?.headers.get('content-type')).toBe('application/problem+json');
  expectDate(response);
  expect(response?.headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  expect(JSON.parse(text)).toMatchObject({
    code,
    type: expect.stringMatching(new RegExp(`^http://.*/errors#${code}$`)),
    request_id: response?.headers.get('x-request-id'),
  });
}
