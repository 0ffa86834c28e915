// The package @latchkey/client in a browser, bundled as an application bundles it.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedBrowser } from '../support/browser.ts';
import { bundleClient, evaluateIn } from '../support/client-page.ts';
import { freePort } from '../support/free-port.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import type { PackedClients } from '../support/packed-clients.ts';

/** Served by the test, with the origin of the app. */
const pagePath = '/of-an-application';

export function describeBrowser(installed: () => PackedClients): void {
  let testApp: TestApp;
  let page: Page;
  beforeAll(async () => {
    testApp = await startTestApp();
    const bundle = await bundleClient(installed().folder);
    const context = await (await sharedBrowser()).newContext();
    page = await context.newPage();
    const contentType = 'text/javascript';
    await page.route(`**${pagePath}.js`, (route) => route.fulfill({ body: bundle, contentType }));
    const html = `<!doctype html><script type="module" src="${pagePath}.js"></script>`;
    await page.route(`**${pagePath}`, (route) =>
      route.fulfill({ body: html, contentType: 'text/html' }),
    );
    await page.goto(testApp.app.publicUrl + pagePath);
    await page.waitForFunction('window.createClient !== undefined');
  });
  afterAll(async () => {
    await page?.context().close();
    await testApp?.remove();
  });

  const evaluate = <T>(body: string) => evaluateIn<T>(page, testApp, body);

  describe('@latchkey/client in a browser', () => {
    it('exchanges an API key and calls a method', async () => {
      const count = await evaluate<number>(
        'return (await open({ apiKey: customerKey }).accounts.listAccounts({})).accounts.length;',
      );
      expect(count).toBe(2);
    });

    it('uploads a file with progress, and downloads it', async () => {
      const result = await evaluate(`
        const { upload, documents } = open({ apiKey });
        const file = new File(['# Notes\\n'.repeat(100000)], 'a "b".md');
        const progress = [];
        const document = await upload(file, { onProgress: (one) => progress.push(one) });
        let size = 0;
        for await (const { part } of documents.downloadDocument({ documentId: document.id })) {
          if (part.case === 'chunk') size += part.value.length;
        }
        const { name, contentType } = document;
        return { name, contentType, size, last: progress.at(-1) };`);
      const size = 800_000;
      expect(result).toEqual({
        name: 'a "b".md',
        contentType: 'text/markdown',
        size,
        last: { sentBytes: size, totalBytes: size },
      });
    });

    it('aborts an upload', async () => {
      const code = await evaluate(`
        const abort = new AbortController();
        abort.abort();
        return open({ apiKey })
          .upload(new Blob(['text']), { signal: abort.signal })
          .catch(({ code }) => code);`);
      expect(code).toBe('canceled');
    });

    it('names the server that it cannot reach', async () => {
      const url = `http://127.0.0.1:${await freePort()}`;
      const messages = await evaluate(`
        const retry = { attemptsMax: 1 };
        const away = createClient({ baseUrl: '${url}', credentials: { apiKey }, retry });
        const thrown = [away.documents.listDocuments({}), away.upload(new Blob(['text']))];
        return Promise.all(thrown.map((call) => call.catch(({ message }) => message)));`);
      const message = `The connection to ${url} failed.`;
      expect(messages).toEqual([message, message]);
    });

    it('refuses an answer to an upload that is larger than 64 MiB', async () => {
      const path = '**/api/v1/documents';
      await page.route(path, (route) => route.fulfill({ body: 'a'.repeat(65 * 1024 * 1024) }));
      const message = await evaluate(
        "return open({ apiKey }).upload(new Blob(['text'])).catch(({ message }) => message);",
      );
      await page.unroute(path);
      expect(message).toBe('A message of the answer is larger than 64 MiB.');
    });

    it('throws errors with codes, and refuses client secrets', async () => {
      const codes = await evaluate(`
        const { documents, upload } = open({ apiKey });
        const thrown = [
          documents.getDocument({ documentId: 'doc_unknown' }),
          upload(new Blob([])),
        ].map((call) => call.catch((e) => e instanceof LatchkeyError && e.code));
        return Promise.all(thrown);`);
      expect(codes).toEqual(['not_found', 'invalid_argument']);
      const secret = evaluate("open({ clientId: 'c', clientSecret: 's', scope: 'a:read' });");
      await expect(secret).rejects.toThrow('must not be used in a browser');
    });
  });
}
