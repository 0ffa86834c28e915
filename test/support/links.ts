// Links as the console shows them, and as the service tells them.
import type { Page } from 'playwright-core';
import type { TestApp } from './harness.ts';
import { api, type LinkFields } from './sharing.ts';

export type WholeLink = LinkFields & { readonly name: string; readonly allow_download: boolean };

export const dayMs = 24 * 60 * 60_000;

/** What the service says of a link of the demo workspace. */
export async function linkOf(test: TestApp, id: string): Promise<WholeLink> {
  return (await api<WholeLink>(test, 'GET', `/links/${id}`)).body;
}

export async function newestLink(test: TestApp): Promise<WholeLink> {
  const { body } = await api<{ links: WholeLink[] }>(test, 'GET', '/links?page_size=1');
  const [link] = body.links;
  if (link === undefined) throw new Error('there is no link');
  return link;
}

/** The row of the table of links that has that text. */
export const rowOf = (page: Page, text: string) =>
  page.getByRole('table', { name: 'Links' }).getByRole('row').filter({ hasText: text });

/** A moment as a field of a date and a time takes it, in the zone of this process. */
export function localText(ms: number): string {
  const date = new Date(ms);
  return new Date(ms - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
