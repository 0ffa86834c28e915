// Links as the console shows them and as the service returns them.
import type { Page } from 'playwright-core';
import type { TestApp } from './harness.ts';
import { callSharingApi, type LinkFields } from './sharing-api.ts';

export type WholeLink = LinkFields & { readonly name: string; readonly allow_download: boolean };

export const dayMs = 24 * 60 * 60_000;

/** Returns a link of the demo workspace as the service reports it. */
export async function linkOf(test: TestApp, id: string): Promise<WholeLink> {
  return (await callSharingApi<WholeLink>(test, 'GET', `/links/${id}`)).body;
}

export async function newestLink(test: TestApp): Promise<WholeLink> {
  const { body } = await callSharingApi<{ links: WholeLink[] }>(test, 'GET', '/links?page_size=1');
  const [link] = body.links;
  if (link === undefined) throw new Error('the workspace has no such link');
  return link;
}

/** The row with that text in the table of links. */
export const rowOf = (page: Page, text: string) =>
  page.getByRole('table', { name: 'Links' }).getByRole('row').filter({ hasText: text });

/** A time in the format of a date-and-time field, in the time zone of this process. */
export function localText(ms: number): string {
  const date = new Date(ms);
  return new Date(ms - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export type ViewRow = {
  readonly time: number;
  readonly pages?: Readonly<Record<number, number>>;
  /** By default an address of each view. */
  readonly email?: string;
  /** The name of the program that read for the person. */
  readonly program?: string;
};

/** Inserts views at those times, in milliseconds since 1970. */
export async function addViews(
  { app }: TestApp,
  link: Pick<LinkFields, 'id'>,
  rows: readonly ViewRow[],
): Promise<void> {
  const { db } = app.inside;
  const views = rows.map(({ time, pages = {}, email, program = '' }, index) => ({
    id: `viw_${link.id}_${index}`,
    link_id: link.id,
    email: email ?? `reader${index}@example.com`,
    email_verified: index % 2 === 0 ? (1 as const) : (0 as const),
    create_time: time,
    acting_client_id: program === '' ? '' : 'cli_program',
    acting_client_name: program,
    duration_ms: Object.values(pages).reduce((sum, ms) => sum + ms, 0),
  }));
  const pages = rows.flatMap(({ pages = {} }, index) =>
    Object.entries(pages).map(([page, ms]) => ({
      ...{ view_id: `viw_${link.id}_${index}`, visit: 'visit', page: Number(page) },
      duration_ms: ms,
    })),
  );
  for (let at = 0; at < views.length; at += 200) {
    await db
      .insertInto('views')
      .values(views.slice(at, at + 200))
      .execute();
  }
  await db
    .updateTable('links')
    .set((eb) => ({ view_count: eb('view_count', '+', views.length) }))
    .where('id', '=', link.id)
    .execute();
  for (let at = 0; at < pages.length; at += 200) {
    await db
      .insertInto('view_pages')
      .values(pages.slice(at, at + 200))
      .execute();
  }
}
