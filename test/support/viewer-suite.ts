// Shared by the viewer suites: an app, a browser, and a shared document.
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { sharedBrowser } from './browser.ts';
import { desktop, newReader, type Reader } from './browser-pages.ts';
import { startTestApp, type TestApp, type TestAppOptions } from './harness.ts';
import { type LinkFields, makeLink, upload } from './sharing-api.ts';

/** Starts an app and a browser for a suite. */
export function useViewer(options: TestAppOptions = {}) {
  let test: TestApp;
  let browser: Browser;
  beforeAll(async () => {
    test = await startTestApp(options);
    browser = await sharedBrowser();
  });
  afterAll(() => test?.remove());

  /** Opens the page as a new visitor, until the test ends. */
  async function read(settings: BrowserContextOptions = desktop): Promise<Reader> {
    const reader = await newReader(browser, test.app.publicUrl, settings);
    onTestFinished(() => reader.page.context().close());
    return reader;
  }

  async function share(bytes: Buffer, filename: string, fields = {}): Promise<LinkFields> {
    const document = await upload(test, bytes, filename);
    return makeLink(test, document.id, fields);
  }

  /** A reader, and a function that shares a document and waits until its link shows it. */
  async function openReader() {
    const reader = await read();
    async function show(content: string | Buffer, name: string, fields = {}) {
      const link = await share(Buffer.from(content), name, fields);
      await reader.page.goto(link.url);
      await reader.page.getByText(/^Document loaded/).waitFor({ state: 'attached' });
      return link;
    }
    return { ...reader, show };
  }

  return { app: () => test, read, share, openReader };
}
