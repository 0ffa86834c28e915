// What the suites of uploads in the console have in common.
import type { Page, Route } from 'playwright-core';
import { type ConsoleUser, useConsole } from './console-suite.ts';
import { callSharingApi, makeZip } from './sharing-api.ts';

/** Where the console sends files to. */
export const uploads = '**/api/v1/documents';

type Chosen = { readonly name: string; readonly mimeType: string; readonly buffer: Buffer };
export const fileOf = (name: string, buffer: Buffer = makeZip(name)): Chosen => ({
  name,
  // Whatever type the browser sends, the service looks at the bytes.
  mimeType: 'text/plain',
  buffer,
});

/** Uploads by the button. */
export async function choose(page: Page, ...files: Chosen[]) {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Upload files' }).click();
  await (await chooser).setFiles(files);
}

/** The text that is shown for an upload. */
export const rowOf = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Uploads' }).getByRole('listitem').filter({ hasText: name });

/** A row of the list of documents. */
export const documentNamed = (page: Page, name: string) =>
  page.getByRole('table', { name: 'Documents' }).getByRole('link', { name, exact: true });

/** Keeps uploads under way until they are let go. */
export async function holdUploads(page: Page) {
  const held: Route[] = [];
  let isHolding = true;
  await page.route(uploads, async (route) => {
    if (isHolding) held.push(route);
    else await route.continue();
  });
  return {
    held,
    letGo() {
      isHolding = false;
      // One that was cancelled is there no more.
      for (const route of held.splice(0)) void route.continue().catch(() => {});
    },
  };
}

type Stored = { name: string; content_type: string; sha256: string };

/** An app whose uploads are small, and a browser on its pages. */
export function uploading(uploadBytesMax: number) {
  const { app, workspaceId, visitAs, member } = useConsole({ config: { uploadBytesMax } });

  /** A member before the documents of the first workspace. */
  async function openDocuments(settings?: Parameters<typeof visitAs>[1], own?: ConsoleUser) {
    const visit = await visitAs(own ?? (await member('member')), settings);
    await visit.open(`/workspaces/${workspaceId()}/documents`);
    return visit;
  }

  async function storedAs(name: string): Promise<Stored | undefined> {
    const answer = await callSharingApi<{ documents: Stored[] }>(
      app(),
      'GET',
      '/documents?page_size=200',
    );
    return answer.body.documents.find((document) => document.name === name);
  }

  return { app, member, openDocuments, storedAs };
}
