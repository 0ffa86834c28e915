// Views of a link: how a visitor's browser creates and reports them, and how the owner reads them.

import { beforeAll, expect } from 'vitest';
import { transact } from '../../src/storage/database.ts';
import type { Database } from '../../src/storage/schema/schema.ts';
import type { Suite } from './app-suite.ts';
import { cookieOf } from './gated-document.ts';
import type { TestApp } from './harness.ts';
import { addWorkspace } from './owner-rows.ts';
import { makePdf } from './pdf.ts';
import { callSharingApi, type LinkFields, makeLink, upload } from './sharing-api.ts';

/** A random view id, which the page generates when it is opened. */
export const visit = 'a'.repeat(16);
export const otherVisit = 'b'.repeat(16);

export type ViewFields = {
  id: string;
  email: string;
  email_verified: boolean;
  duration_ms: number;
  pages: { page: number; duration_ms: number }[];
};

/** Creates a link to a document of three pages, whose page count is known. */
export async function makeWatchedLink(test: TestApp, options = {}): Promise<LinkFields> {
  const document = await upload(test, makePdf({ pages: 3, text: 'Watched' }), 'deck.pdf');
  await setPageCount(test, document.id, 3);
  return makeLink(test, document.id, { email_required: true, ...options });
}

/** Sets the page count of a document, as if it had been counted. */
async function setPageCount(test: TestApp, id: string, pages: number): Promise<void> {
  await transact(test.app.inside.db, async (trx) => {
    const counted = { page_count: pages };
    await trx.updateTable('documents').set(counted).where('id', '=', id).execute();
    await trx.updateTable('document_versions').set(counted).where('document_id', '=', id).execute();
  });
}

/** Passes the gate of a link and opens its page; returns the cookie as a browser would send it. */
export async function openLink(link: LinkFields, email = 'reader@example.com'): Promise<string> {
  const cookie = await passGate(link, email);
  expect((await reportView(link, cookie, { visit, pages: '0:0' })).status).toBe(204);
  return cookie;
}

/** The same without opening the page, so that the first report creates the view. */
export async function passGate(link: LinkFields, email = 'reader@example.com'): Promise<string> {
  const response = link.email_required
    ? await fetch(link.url, {
        method: 'POST',
        body: new URLSearchParams({ email }),
        redirect: 'manual',
      })
    : await fetch(link.url);
  expect(cookieOf(response)).not.toBe('');
  return cookieOf(response);
}

export function reportView(
  link: LinkFields,
  cookie: string,
  form: Record<string, string> | string,
  headers: Record<string, string> = {},
): Promise<Response> {
  const body = new URLSearchParams(form);
  return fetch(`${link.url}/view`, { method: 'POST', headers: { cookie, ...headers }, body });
}

/** Returns a link's views, newest first. */
export async function viewsOf(test: TestApp, link: LinkFields): Promise<ViewFields[]> {
  const answer = await callSharingApi<{ views: ViewFields[] }>(
    test,
    'GET',
    `/links/${link.id}/views`,
  );
  expect(answer.status).toBe(200);
  return answer.body.views;
}

/** Inserts a link with its workspace and document as rows; returns the link's id. */
export async function addLink(db: Database): Promise<string> {
  const { ownerId } = await addWorkspace(db, 'links:read');
  const common = { workspace_id: ownerId, name: '', create_time: 1 };
  const document = { content_type: '', size_bytes: 5, sha256: '', page_count: 0, blob_id: 'blob' };
  await db
    .insertInto('documents')
    .values({ ...common, ...document, id: 'doc_1' })
    .execute();
  await db
    .insertInto('links')
    .values({
      ...common,
      id: 'lnk_1',
      slug: 'slug',
      document_id: 'doc_1',
      email_required: 0,
      email_verification_required: 0,
      password_hash: null,
      allow_download: 0,
      gate_revision: 1,
      expire_time: null,
      revoke_time: null,
    })
    .execute();
  return 'lnk_1';
}

export const readPages = (pages: string, by = visit) => ({ visit: by, pages });

/** Runs suites about the views of a link with a stopped clock. */
export function viewsIn(suite: Suite) {
  let link: LinkFields;
  beforeAll(async () => {
    suite.clock.frozen = 1_795_000_000_000;
    link = await makeWatchedLink(suite.testApp);
  });

  function wait(milliseconds: number): void {
    suite.clock.frozen = suite.clock.now() + milliseconds;
  }

  /** The cookie of a view that began that long ago. */
  async function begun(secondsAgo: number, of = link): Promise<string> {
    const cookie = await openLink(of);
    wait(secondsAgo * 1000);
    return cookie;
  }

  /** Sends a report, and reads the newest view once everything is written. */
  async function after(cookie: string, reports: Record<string, string>[], of = link) {
    for (const form of reports) {
      const answer = await reportView(of, cookie, form);
      expect([answer.status, await answer.text()]).toEqual([204, '']);
    }
    await suite.app.inside.views.flush();
    return (await viewsOf(suite.testApp, of))[0];
  }

  return { watchedLink: () => link, wait, begun, after };
}
