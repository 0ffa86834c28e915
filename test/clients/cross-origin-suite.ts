// The package @latchkey/client in pages of other origins, which LATCHKEY_CORS_ORIGINS lists or not.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { sharedBrowser } from '../support/browser.ts';
import { bundleClient, evaluateIn } from '../support/client-page.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import type { PackedClients } from '../support/packed-clients.ts';

const uploadAndList = `
  const { upload, documents } = open({ apiKey });
  const progress = [];
  const file = new File(['# Notes\\n'.repeat(100000)], 'notes.md');
  const document = await upload(file, { onProgress: (one) => progress.push(one) });
  const listed = await documents.listDocuments({ query: 'notes' });
  return { document, progress, listed: listed.documents.map(({ id }) => id) };`;

export function describeOtherOrigins(installed: () => PackedClients): void {
  let testApp: TestApp;
  let bundle = '';
  const origins: string[] = [];
  const servers: Server[] = [];
  beforeAll(async () => {
    bundle = await bundleClient(installed().folder);
    for (let i = 0; i < 2; i++) {
      const server = createServer(({ url }, response) => {
        const isScript = url === '/app.js';
        const type = isScript ? 'text/javascript' : 'text/html';
        const html = '<!doctype html><script type="module" src="/app.js"></script>';
        response.setHeader('content-type', type).end(isScript ? bundle : html);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      servers.push(server);
      origins.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    }
    testApp = await startTestApp({ config: { corsOrigins: origins.slice(0, 1) } });
  });
  afterAll(async () => {
    for (const server of servers) server.close();
    await testApp?.remove();
  });

  async function openPage(origin = ''): Promise<Page> {
    const context = await (await sharedBrowser()).newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(origin);
    await page.waitForFunction('window.createClient !== undefined');
    return page;
  }
  const documentIds = async () =>
    (await testApp.app.inside.db.selectFrom('documents').select('id').execute()).map(
      ({ id }) => id,
    );

  describe('@latchkey/client in a page of another origin', () => {
    it('uploads a document with progress, and lists it, if the origin is listed', async () => {
      const page = await openPage(origins[0]);
      // So slow that the browser reports the progress more than once.
      const cdp = await page.context().newCDPSession(page);
      await cdp.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput: 1_600_000,
      });
      const { document, progress, listed } = await evaluateIn<{
        document: { id: string; contentType: string };
        progress: { sentBytes: number; totalBytes: number }[];
        listed: string[];
      }>(page, testApp, uploadAndList);
      const size = 800_000;
      expect(document.contentType).toBe('text/markdown');
      expect(listed).toEqual([document.id]);
      expect(progress.length).toBeGreaterThan(1);
      expect(progress.at(-1)).toEqual({ sentBytes: size, totalBytes: size });
      const sent = progress.map(({ sentBytes }) => sentBytes);
      expect(sent).toEqual(sent.toSorted((a, b) => a - b));
      expect(await documentIds()).toContain(document.id);
    });

    it('reads the code and the request id of an error', async () => {
      const page = await openPage(origins[0]);
      const error = await evaluateIn(
        page,
        testApp,
        `return open({ apiKey }).upload(new Blob([])).catch(({ code, requestId }) => ({
          code, hasRequestId: requestId !== undefined }));`,
      );
      expect(error).toEqual({ code: 'invalid_argument', hasRequestId: true });
    });

    it('gets no answer, and changes nothing, if the origin is not listed', async () => {
      const page = await openPage(origins[1]);
      const before = await documentIds();
      const codes = await evaluateIn(
        page,
        testApp,
        `const { upload, documents } = open({ apiKey });
        const calls = [documents.listDocuments({}), upload(new Blob(['text']))];
        return Promise.all(calls.map((call) => call.then(() => 'ok', ({ code }) => code)));`,
      );
      expect(codes).toEqual(['connection_failed', 'connection_failed']);
      expect(await documentIds()).toEqual(before);
    });
  });
}
