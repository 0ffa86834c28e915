// Shared by the viewer suites: an app, a browser, and a shared document.
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { sharedBrowser } from './browser.ts';
import { desktop, newReader, type Reader } from './browser-pages.ts';
import { startTestApp, type TestApp } from './harness.ts';
import { type LinkFields, makeLink, upload } from './sharing-api.ts';

/** Starts an app and a browser for a suite. */
export function useViewer() {
  let test: TestApp;
  let browser: Browser;
  beforeAll(async () => {
    test = await startTestApp();
    browser = await sharedBrowser();
  });
  afterAll(() => test?.remove());

  /** Opens the page as a new visitor, until the test ends. */
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
