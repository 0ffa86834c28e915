// Shared by the console's upload suites.
import type { Page, Route } from 'playwright-core';
import { type ConsoleUser, useConsole } from './console-suite.ts';
import { callSharingApi, makeZip } from './sharing-api.ts';

/** The path to which the console sends files. */
export const uploads = '**/api/v1/documents';

type Chosen = { readonly name: string; readonly mimeType: string; readonly buffer: Buffer };
export const fileOf = (name: string, buffer: Buffer = makeZip(name)): Chosen => ({
  name,
  // The service detects the type from the bytes and ignores the type that the browser sends.
  mimeType: 'text/plain',
  buffer,
});

/** Uploads with the button. */
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

/** Holds uploads until they are released. */
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
      // A cancelled upload no longer exists.
      for (const route of held.splice(0)) void route.continue().catch(() => {});
    },
  };
}

type Stored = { name: string; content_type: string; sha256: string };

/** Starts an app with a small upload limit, and a browser. */
export function uploading(uploadBytesMax: number) {
  const { app, workspaceId, visitAs, member } = useConsole({ config: { uploadBytesMax } });

  /** A member on the documents page of the first workspace. */
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
