// What the suites of the viewer have in common: an app, a browser, and a document that is shared.
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { sharedBrowser } from './browser.ts';
import { desktop, newReader, type Reader } from './browser-pages.ts';
import { startTestApp, type TestApp } from './harness.ts';
import { type LinkFields, makeLink, upload } from './sharing-api.ts';

/** An app and a browser for a whole suite. */
export function useViewer() {
  let test: TestApp;
  let browser: Browser;
  beforeAll(async () => {
    test = await startTestApp();
    browser = await sharedBrowser();
  });
  afterAll(() => test?.remove());

  /** A fresh reader until the test's end. */
  async function read(options: BrowserContextOptions = desktop): Promise<Reader> {
    const reader = await newReader(browser, test.app.publicUrl, options);
    onTestFinished(() => reader.page.context().close());
    return reader;
  }

  async function share(bytes: Buffer, filename: string, options = {}): Promise<LinkFields> {
    const document = await upload(test, bytes, filename);
    return makeLink(test, document.id, options);
  }

  return { app: () => test, read, share };
}
