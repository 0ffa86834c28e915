// A visitor's browser on the pages of a link. Records its requests and its errors.
import path from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { started } from '../times/started.ts';
import type { ConsoleVisit } from './console-suite.ts';

export type Reader = {
  readonly page: Page;
  /** `<method> <path>` of every request so far. */
  readonly requests: string[];
  /**
   * Errors from the console, the content security policy and scripts; requests to other origins.
   */
  readonly complaints: string[];
};

export const desktop: BrowserContextOptions = {
  viewport: { width: 1280, height: 800 },
  reducedMotion: 'reduce',
};
export const phone: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  hasTouch: true,
  isMobile: true,
};

/** A new visitor without an access session. The caller closes the page's context. */
export async function newReader(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = desktop,
): Promise<Reader> {
  started.contexts++;
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    requests.push(`${request.method()} ${url.pathname}`);
    if (url.origin !== origin && url.protocol !== 'blob:') complaints.push(`asked ${url.href}`);
  });
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return { page, requests, complaints };
}

/** The share of pixels of the first page's picture that are not white or transparent: 0 to 1. */
export function inkOf(page: Page, selector = '#viewer .canvasWrapper'): Promise<number> {
  return page.evaluate<number>(`(() => {
    const canvas = document.querySelector('${selector} canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let dark = 0;
    for (let at = 0; at < data.length; at += 4) {
      if (data[at + 3] > 0 && data[at] + data[at + 1] + data[at + 2] < 600) dark++;
    }
    return dark / (data.length / 4);
  })()`);
}

/**
 * Stops the timers of the page, so that a text that is shown for a moment stays until a test has
 * seen it. To be called when nothing is loading; `settle` needs timers.
 */
export async function stopTimers({ clock }: Page): Promise<Page['clock']> {
  await clock.install();
  await clock.pauseAt(Date.now() + 30_000);
  return clock;
}

/** Waits until no transition runs. An endless animation, such as that of a loader, may run. */
export async function settle(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    const running = () =>
      document.getAnimations().filter(
        ({ playState, effect }) =>
          playState === 'running' && effect?.getComputedTiming().endTime !== Infinity,
      );
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    do {
      await Promise.allSettled(running().map(({ finished }) => finished));
      // A change of style starts its transitions in the next frame.
      await frame();
      await frame();
    } while (running().length > 0);
  })()`);
}

/** The number of pixels by which an element's content overflows its width, on a settled page. */
export async function overhangOf(page: Page, selector = 'html'): Promise<number> {
  await settle(page);
  return page.evaluate<number>(`(() => {
    const { scrollWidth, clientWidth } = document.querySelector('${selector}');
    return scrollWidth - clientWidth;
  })()`);
}

export const docsDir = path.resolve(import.meta.dirname, '../../docs');

export const isWritingPictures = process.env.LATCHKEY_WRITE_PICTURES === 'true';

/** Opens another tab of the visitor's browser; its errors are added to the visitor's. */
export async function openAnotherTab({ page, complaints }: ConsoleVisit): Promise<Page> {
  const tab = await page.context().newPage();
  tab.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  tab.on('pageerror', (error) => complaints.push(String(error)));
  return tab;
}

/** Disables `BroadcastChannel`, so that the visitor's tabs cannot send each other messages. */
export async function stopBroadcasts({ page }: ConsoleVisit): Promise<void> {
  await page.context().addInitScript('BroadcastChannel.prototype.postMessage = () => {}');
}

/** Holds the calls of an RPC until the returned function is called. */
export async function holdCalls(page: Page, method: string): Promise<() => void> {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(new RegExp(`/${method}$`), (route) => held.then(() => route.continue()));
  return release;
}

/** Waits until a console page with this heading is shown. */
export function heading(page: Page, name: string) {
  return page.getByRole('heading', { level: 1, name });
}

/**
 * Saves a picture of the documentation as soon as no transition runs, if LATCHKEY_WRITE_PICTURES
 * is 'true'.
 */
export async function keepPicture(page: Page, name: string): Promise<void> {
  await settle(page);
  if (isWritingPictures) {
    await page.screenshot({ path: path.join(docsDir, 'images', `${name}.png`) });
  }
}

/**
 * Keeps a picture of the page with the width of a phone and one with the width of a desktop, where
 * the page remains. Fails if the content is wider than the page.
 */
export async function keepPictures(page: Page, name: string): Promise<void> {
  for (const [suffix, viewport] of [
    ['-phone', { width: 390, height: 844 }],
    ['', { width: 1280, height: 800 }],
  ] as const) {
    await page.setViewportSize(viewport);
    // A resized page moves its content in a transition.
    await expect.poll(() => overhangOf(page), { message: name }).toBe(0);
    await keepPicture(page, name + suffix);
  }
}
