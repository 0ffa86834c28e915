// Tabs of one browser: they share its cookies, and nothing else.
import type { Page } from 'playwright-core';
import type { ConsoleVisit } from './console-suite.ts';

/** Another tab of the visitor's browser; what it complains about is the visitor's complaint. */
export async function openAnotherTab({ page, complaints }: ConsoleVisit): Promise<Page> {
  const tab = await page.context().newPage();
  tab.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  tab.on('pageerror', (error) => complaints.push(String(error)));
  return tab;
}

/** Keeps the tabs of the visitor's browser from hearing of one another. */
export async function stopBroadcasts({ page }: ConsoleVisit): Promise<void> {
  await page.context().addInitScript('BroadcastChannel.prototype.postMessage = () => {}');
}

/** Waits for a page of the console by its heading. */
export function heading(page: Page, name: string) {
  return page.getByRole('heading', { level: 1, name });
}
