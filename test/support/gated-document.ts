// A document behind gates: an app for a whole suite, and a check that an answer reveals nothing of
// the document.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Config } from '../../src/base/config/config.ts';
import type { DerivedKeys } from '../../src/base/crypto/master-key.ts';
import { Failure } from '../../src/base/errors/errors.ts';
import { createBrands } from '../../src/sharing/brand/brand.ts';
import { createGateCodes } from '../../src/sharing/gate/codes.ts';
import { startTestApp, type TestApp } from './harness.ts';
import type { Dialect } from './matrix.ts';
import { makePdf } from './pdf.ts';
import {
  callSharingApi,
  type DocumentFields,
  type LinkFields,
  makeLink,
  upload,
} from './sharing-api.ts';

export const secretPdf = makePdf({ pages: 1, text: 'The secret terms', padToBytes: 20_000 });

/** Conditional and range requests (RFC 9110 §13, §14). */
const conditionsOf = (etag: string): Record<string, string>[] => [
  {},
  { 'if-none-match': etag },
  { 'if-none-match': '*' },
  { 'if-match': etag },
  { 'if-match': '"other"' },
  { range: 'bytes=0-0' },
  { range: 'bytes=20000-' },
  { range: 'bytes=0-0', 'if-range': etag },
  { 'if-modified-since': new Date(Date.now() + 86_400_000).toUTCString() },
];

/** The cookie of the access session in an answer, as a browser would send it; empty if none. */
export function cookieOf(response: Response): string {
  return response.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
}

/** The seconds that a limited request has to wait; 0 if it was processed. */
export async function waitOf(attempt: Promise<unknown>): Promise<number | undefined> {
  try {
    const seconds = await attempt;
    return typeof seconds === 'number' ? seconds : 0;
  } catch (error) {
    if (error instanceof Failure) return error.extra.retryAfterSeconds;
    throw error;
  }
}

/** Starts an app with a settable clock and one document whose properties are easy to find. */
export function useSecretDocument(dialect: Dialect, config: Partial<Config> = {}) {
  let test: TestApp;
  let document: DocumentFields;
  /** The entity tag of the file for readers. */
  let etag: string;
  const clock = { now: Date.now() };
  beforeAll(async () => {
    test = await startTestApp({ dialect, config, now: () => clock.now });
    document = await upload(test, secretPdf, 'terms.pdf');
    const name = 'The <b>secret</b> terms.pdf';
    await callSharingApi(test, 'PATCH', `/documents/${document.id}`, { name });
    const link = await open();
    const cookie = cookieOf(await fetch(link.url));
    const head = await fetch(`${link.url}/file`, { method: 'HEAD', headers: { cookie } });
    etag = head.headers.get('etag') ?? '';
  });
  afterAll(() => test.remove());

  /** Creates a link to the document that requires an email address. */
  function gated(options = {}): Promise<LinkFields> {
    return open({ email_required: true, ...options });
  }

  /** Creates a link to the document without requirements, and without its name. */
  function open(options = {}): Promise<LinkFields> {
    return makeLink(test, document.id, { allow_download: true, show_title: false, ...options });
  }

  /** Passes the gate and returns the cookie as a browser would send it. */
  async function pass(link: LinkFields): Promise<string> {
    const body = new URLSearchParams({ email: 'reader@example.com' });
    const response = await fetch(link.url, { method: 'POST', body, redirect: 'manual' });
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe(new URL(link.url).pathname);
    return cookieOf(response);
  }

  /** Checks that the answer contains no bytes, name, size, type or digest of the document. */
  async function expectNothingOf(response: Response, what: string): Promise<void> {
    const body = Buffer.from(await response.arrayBuffer());
    const headers = JSON.stringify([...response.headers]);
    // A random request id may happen to contain the document's size.
    const requestId = response.headers.get('x-request-id') ?? '';
    const text = `${body.toString('latin1')}\n${headers}`.replaceAll(requestId, '');
    const traces = ['secret', '%PDF', '20000', document.sha256, document.id, 'application/pdf'];
    for (const trace of traces) expect(text, `${what} tells ${trace}`).not.toContain(trace);
    expect(response.headers.get('content-range'), what).toBeNull();
    expect(response.headers.get('set-cookie'), what).toBeNull();
    expect([206, 304, 416, 500], what).not.toContain(response.status);
  }

  /** Checks that no route of a link reveals anything, and that no condition changes the answer. */
  async function expectNothingWith(link: LinkFields, cookie: string): Promise<void> {
    for (const route of ['', '/file', '/download']) {
      for (const method of ['GET', 'HEAD']) {
        const statuses = new Set<number>();
        for (const condition of conditionsOf(etag)) {
          const headers = { ...(cookie === '' ? {} : { cookie }), ...condition };
          const answer = await fetch(link.url + route, { method, headers });
          expect(answer.headers.get('etag')).toBeNull();
          expect(answer.headers.get('accept-ranges')).toBeNull();
          statuses.add(answer.status);
          await expectNothingOf(answer, `${method} ${route} ${JSON.stringify(condition)}`);
        }
        expect(statuses.size, `${method} ${route}`).toBe(1);
      }
    }
  }

  /** Codes of the app's links for visitors of any network; `receive` gets the mails. */
  function gateCodes(
    receive: (mail: { to: string; text: string }) => void = () => {},
    keys: DerivedKeys = [randomBytes(32)],
  ) {
    const { db } = test.app.inside;
    return createGateCodes({
      db,
      brands: createBrands(db, 'http://latchkey.test'),
      mailer: { send: async (mail) => receive(mail) },
      urlOf: ({ slug }) => `${test.app.publicUrl}/s/${slug}`,
      keys,
      random: randomBytes,
      now: () => clock.now,
    });
  }

  return {
    app: () => test,
    etag: () => etag,
    ...{ clock, gated, open, pass, expectNothingOf, expectNothingWith, gateCodes },
  };
}
