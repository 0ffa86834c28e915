// Tabs of one browser, which share only its cookies.
import type { Page } from 'playwright-core';
import type { ConsoleVisit } from './console-suite.ts';

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

/** Waits until a console page with this heading is shown. */
export function heading(page: Page, name: string) {
  return page.getByRole('heading', { level: 1, name });
}
