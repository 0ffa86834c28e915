import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeAll, describe, expect, it } from 'vitest';
import { openRpcStreamTransports } from '../support/document-streams.ts';
import { startTestApp } from '../support/harness.ts';
import { makePdf } from '../support/pdf.ts';
import { rangeCases } from '../support/range-cases.ts';
import { itHoldsFor, product } from '../support/rule.ts';
import {
  blobDirOf,
  callSharingApi,
  type DocumentFields,
  keyOf,
  makeLink,
  openFilesUnder,
  upload,
} from '../support/sharing-api.ts';
import { useStarted } from '../support/use-started.ts';

const pdf = makePdf({ pages: 1, text: 'Terms', padToBytes: 10_000 });

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** The bytes of all buffers in use. */
function bufferBytes(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

describe('a download', () => {
  const test = useStarted(() => startTestApp());
  let document: DocumentFields;
  let url: string;
  let shared: { url: string; cookie: string };
  beforeAll(async () => {
    document = await upload(test, pdf, 'terms.pdf');
    url = `${test.app.publicUrl}/api/v1/documents/${document.id}/file`;
    const link = await makeLink(test, document.id);
    const page = await fetch(link.url);
    await page.text();
    const cookie = page.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    shared = { url: `${link.url}/file`, cookie };
  });

  const request = (headers: Record<string, string> = {}, method = 'GET') =>
    fetch(url, { method, headers: { ...keyOf(test), ...headers } });

  const requestShared = (headers: Record<string, string> = {}, method = 'GET') =>
    fetch(shared.url, { method, headers: { cookie: shared.cookie, ...headers } });

  it('returns the whole document as an attachment', async () => {
    const response = await request();

    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-cache',
      'content-disposition': 'attachment; filename=terms.pdf',
      'content-length': '10000',
      'content-type': 'application/pdf',
      etag: `"${document.sha256}"`,
      'x-content-type-options': 'nosniff',
    });
    expect(response.headers.get('content-security-policy')).toContain('sandbox');
    expect(pdf.equals(Buffer.from(await response.arrayBuffer()))).toBe(true);
  });

  itHoldsFor(product(['the API', 'a shared link'], rangeCases), 78)(
    'accepts each range on each route',
    async (route, range, expected) => {
      const response = await (route === 'the API' ? request : requestShared)({ range });
      const body = Buffer.from(await response.arrayBuffer());
      if (expected === 'none') {
        expect(response.status).toBe(416);
        expect(response.headers.get('content-range')).toBe('bytes */10000');
        expect(JSON.parse(String(body))).toMatchObject({ code: 'range_not_satisfiable' });
        return;
      }
      if (expected === 'all') {
        expect(response.status).toBe(200);
        expect(response.headers.get('content-range')).toBeNull();
        expect(pdf.equals(body)).toBe(true);
        return;
      }
      const [first, last] = expected;
      expect(response.status).toBe(206);
      expect(response.headers.get('content-range')).toBe(`bytes ${first}-${last}/10000`);
      expect(response.headers.get('content-length')).toBe(String(last - first + 1));
      expect(pdf.subarray(first, last + 1).equals(body)).toBe(true);
    },
  );

  it('ignores a range in a HEAD request', async () => {
    for (const ask of [request, requestShared]) {
      const response = await ask({ range: 'bytes=0-1' }, 'HEAD');
      expect(response.status).toBe(200);
      expect(response.headers.get('content-length')).toBe('10000');
      expect(response.headers.get('content-range')).toBeNull();
    }
  });

  it('with If-Match is sent only for a matching ETag', async () => {
    for (const ask of [request, requestShared]) {
      const tag = (await ask({})).headers.get('etag') ?? '';
      expect((await ask({ 'if-match': `"x", ${tag}` })).status).toBe(200);
      expect((await ask({ 'if-match': '*' })).status).toBe(200);
      for (const other of ['"x"', `W/${tag}`]) {
        const response = await ask({ 'if-match': other, 'if-none-match': tag });
        expect(response.status).toBe(412);
        expect(await response.json()).toMatchObject({ code: 'precondition_failed' });
      }
    }
  });

  it('is the same by gRPC and Connect', async () => {
    for (const transport of openRpcStreamTransports(test.app)) {
      const documentId = document.id;
      const whole = await transport.download({ documentId }, keyOf(test));
      expect(whole, transport.name).toMatchObject({
        ok: true,
        message: {
          header: {
            name: 'terms.pdf',
            contentType: 'application/pdf',
            sizeBytes: 10_000,
            etag: `"${document.sha256}"`,
            lengthBytes: 10_000,
            partial: false,
          },
        },
      });
      expect(whole.ok && pdf.equals(whole.message.bytes), transport.name).toBe(true);

      const part = await transport.download({ documentId, range: 'bytes=5-9' }, keyOf(test));
      expect(part, transport.name).toMatchObject({
        ok: true,
        message: {
          header: { offsetBytes: 5, lengthBytes: 5, partial: true },
          bytes: pdf.subarray(5, 10),
        },
      });
      const ifNoneMatch = `"${document.sha256}"`;
      const same = await transport.download({ documentId, ifNoneMatch }, keyOf(test));
      expect(same, transport.name).toMatchObject({
        ok: true,
        message: { header: { notModified: true, lengthBytes: 0 }, bytes: Buffer.alloc(0) },
      });
      const beyond = await transport.download({ documentId, range: 'bytes=10000-' }, keyOf(test));
      expect(beyond, transport.name).toMatchObject({
        ok: false,
        error: { code: 'range_not_satisfiable' },
      });
      const unknown = await transport.download({ documentId: 'doc_unknown' }, keyOf(test));
      expect(unknown, transport.name).toMatchObject({ ok: false, error: { code: 'not_found' } });
      const stranger = await transport.download({ documentId }, {});
      expect(stranger, transport.name).toMatchObject({
        ok: false,
        error: { code: 'unauthenticated' },
      });
      transport.close();
    }
  });

  it('returns 304 to a client that has the document', async () => {
    const response = await request({ 'if-none-match': `"${document.sha256}"` });

    expect(response.status).toBe(304);
    expect(response.headers.get('etag')).toBe(`"${document.sha256}"`);
    expect(await response.text()).toBe('');
  });

  it('resumes with If-Range only while the document is unchanged', async () => {
    const same = await request({ range: 'bytes=9000-', 'if-range': `"${document.sha256}"` });
    expect([same.status, (await same.arrayBuffer()).byteLength]).toEqual([206, 1000]);
    const other = await request({ range: 'bytes=9000-', 'if-range': '"other"' });
    expect([other.status, (await other.arrayBuffer()).byteLength]).toEqual([200, 10_000]);
  });

  itHoldsFor([
    ['a weak ETag', (tag: string) => `W/${tag}`],
    ['a date', () => new Date(0).toUTCString()],
    ['an ETag of 1000 characters', () => `"${'x'.repeat(998)}"`],
    ['a list of two ETags', (tag: string) => `${tag}, ${tag}`],
  ])('is sent whole if If-Range is not its ETag', async (_, make) => {
    for (const ask of [request, requestShared]) {
      const tag = (await ask({})).headers.get('etag') ?? '';
      const response = await ask({ range: 'bytes=9000-', 'if-range': make(tag) });
      expect([response.status, (await response.arrayBuffer()).byteLength]).toEqual([200, 10_000]);
    }
  });

  it('answers HEAD with headers only', async () => {
    const response = await request({}, 'HEAD');
    expect([response.status, response.headers.get('content-length')]).toEqual([200, '10000']);
    expect(response.headers.get('etag')).toBe(`"${document.sha256}"`);
    expect(await response.text()).toBe('');
    await expect.poll(() => openFilesUnder(blobDirOf(test))).toEqual([]);
  });

  const names: [name: string, disposition: string][] = [
    ['plain.pdf', 'attachment; filename=plain.pdf'],
    ['a "b"; c.pdf', 'attachment; filename="a \\"b\\"; c.pdf"'],
    ['€ rates.pdf', `attachment; filename="? rates.pdf"; filename*=utf-8''%E2%82%AC%20rates.pdf`],
    ['50%41.pdf', `attachment; filename=50%41.pdf; filename*=utf-8''50%2541.pdf`],
  ];
  itHoldsFor(names, 4)('is named by its header', async (name, disposition) => {
    const renamed = await callSharingApi(test, 'PATCH', `/documents/${document.id}`, { name });
    expect(renamed.status).toBe(200);

    const response = await request({}, 'HEAD');

    expect(response.headers.get('content-disposition')?.replace("UTF-8''", "utf-8''")).toBe(
      disposition,
    );
  });

  it('that is not read uses bounded memory, and keeps no file open', async () => {
    const bytes = 60_000_000;
    const large = await upload(test, Buffer.alloc(bytes, 'a'), 'large.bin');
    const before = bufferBytes();
    const paused = await Promise.all(
      Array.from({ length: 5 }, () => {
        const route = `/api/v1/documents/${large.id}/file`;
        const options = { headers: keyOf(test), agent: false };
        const sent = get(test.app.publicUrl + route, options);
        return new Promise<IncomingMessage>((resolve, reject) => {
          sent.once('error', reject);
          sent.once('response', (response) => resolve(response.pause()));
        });
      }),
    );
    await sleep(1000);
    // Five whole documents would be 300 MB; the buffers hold a few chunks each.
    expect(bufferBytes() - before).toBeLessThan(bytes / 2);
    await expect.poll(() => openFilesUnder(blobDirOf(test))).toEqual([]);

    const [first, ...others] = paused;
    for (const response of others) response.destroy();
    let received = 0;
    for await (const chunk of first ?? []) received += (chunk as Buffer).length;
    expect(received).toBe(bytes);
    await expect.poll(() => openFilesUnder(blobDirOf(test))).toEqual([]);
  });
});
