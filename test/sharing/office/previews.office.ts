// Office files that LibreOffice converts: through the API, and through a link in a browser.
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { sharedBrowser } from '../../support/browser.ts';
import { newReader, phone } from '../../support/browser-pages.ts';
import { startTestApp } from '../../support/harness.ts';
import { describeDialects } from '../../support/matrix.ts';
import { makeOfficeFiles, officePages } from '../../support/office-files.ts';
import { readPages } from '../../support/pdf-text.ts';
import { itHoldsFor } from '../../support/rule.ts';
import {
  blobDirOf,
  callSharingApi,
  type DocumentFields,
  filesUnder,
  makeLink,
  sha256,
  upload,
  uploadVersion,
} from '../../support/sharing-api.ts';
import { useStarted } from '../../support/use-started.ts';

type Previewed = DocumentFields & { preview: string; preview_error: string };

let files: ReadonlyMap<string, Buffer>;
beforeAll(async () => {
  files = await makeOfficeFiles();
});

const types = ['docx', 'xlsx', 'pptx', 'odt', 'ods', 'odp', 'rtf', 'doc', 'xls', 'ppt'] as const;

describeDialects('the preview of an Office file', (dialect) => {
  const test = useStarted(() => startTestApp({ dialect, config: { officeCommand: 'soffice' } }));

  const fileOf = (extension: string) => files.get(extension) ?? Buffer.alloc(0);

  async function documentOf(id: string): Promise<Previewed> {
    return (await callSharingApi<Previewed>(test, 'GET', `/documents/${id}`)).body;
  }

  const stateOf = async (id: string) => (await documentOf(id)).preview;

  async function uploadReady(extension: string): Promise<Previewed> {
    const { id } = await upload(test, fileOf(extension), `Report.${extension}`);
    await expect.poll(() => stateOf(id)).toBe('PREVIEW_READY');
    return documentOf(id);
  }

  itHoldsFor(types, 10)('shows a file as PDF and downloads the original', async (extension) => {
    const document = await uploadReady(extension);
    expect(document).toMatchObject({ viewable: true, preview_error: '' });
    expect(document.page_count).toBe({ ...officePages, xlsx: 1, ods: 1, xls: 1 }[extension]);
    expect(document.size_bytes).toBe(fileOf(extension).length);
    const link = await makeLink(test, document.id, { allow_download: true });
    const page = await fetch(link.url);
    const [cookie = ''] = page.headers.getSetCookie();
    const headers = { cookie: cookie.replace(/;.*/, '') };
    expect(await page.text()).toContain('data-kind="pdf"');
    const shown = await fetch(`${link.url}/versions/1/file`, { headers });
    expect(shown.headers.get('content-type')).toBe('application/pdf');
    const pdf = Buffer.from(await shown.arrayBuffer());
    expect(pdf.toString('latin1', 0, 5)).toBe('%PDF-');
    const part = await fetch(`${link.url}/file`, { headers: { ...headers, range: 'bytes=0-4' } });
    expect([part.status, await part.text()]).toEqual([206, '%PDF-']);
    const original = await fetch(`${link.url}/download`, { headers });
    expect(sha256(Buffer.from(await original.arrayBuffer()))).toBe(document.sha256);
  });

  it('shows and downloads only the stamped preview with a watermark', async () => {
    const document = await uploadReady('docx');
    const link = await makeLink(test, document.id, { allow_download: true, watermark: true });
    const page = await fetch(link.url);
    const [cookie = ''] = page.headers.getSetCookie();
    const headers = { cookie: cookie.replace(/;.*/, '') };
    for (const route of ['/file', '/versions/1/file', '/download']) {
      const answer = await fetch(link.url + route, { headers });
      expect(answer.headers.get('content-disposition')).toContain('Report.pdf');
      const pages = await readPages(Buffer.from(await answer.arrayBuffer()));
      expect(pages).toHaveLength(document.page_count);
      for (const { lines } of pages) {
        expect(lines.filter(({ text }) => text.startsWith('Anonymous · '))).toHaveLength(4);
      }
    }
  });

  it('leaves nothing in the temporary folder', async () => {
    const names = async () =>
      (await readdir(tmpdir())).filter((n) => n.startsWith('latchkey-office-'));
    await expect.poll(names).toEqual([]);
  });

  it('counts the pages that a reader views', async () => {
    const document = await uploadReady('pptx');
    const link = await makeLink(test, document.id);
    const { page } = await newReader(await sharedBrowser(), test.app.publicUrl, phone);
    onTestFinished(() => page.context().close());
    await page.goto(link.url);
    await page.locator('#viewer .canvasWrapper canvas').first().waitFor();
    await page.waitForTimeout(1_500);
    await page.goto('about:blank');
    type Insight = { page_count: number; pages: { page: number }[] };
    const insight = async () => {
      const route = `/documents/${document.id}/insight`;
      return (await callSharingApi<Insight>(test, 'GET', route)).body;
    };
    await expect.poll(async () => (await insight()).pages.length).toBe(4);
  });

  it('says that a preview is being prepared, and then shows it without a click', async () => {
    const { id } = await upload(test, fileOf('docx'), 'Report.docx');
    const link = await makeLink(test, id);
    const { page, complaints } = await newReader(await sharedBrowser(), test.app.publicUrl, phone);
    onTestFinished(() => page.context().close());
    await page.goto(link.url);
    await page.getByText('The preview is being prepared.').waitFor();
    await page.locator('#viewer .canvasWrapper canvas').first().waitFor();
    expect(complaints).toEqual([]);
  });

  it('keeps a preview for each version, and deletes it with the version', async () => {
    const { id } = await uploadReady('docx');
    const before = (await filesUnder(blobDirOf(test))).length;
    await uploadVersion(test, id, fileOf('pptx'), 'Report.pptx');
    await expect.poll(() => stateOf(id)).toBe('PREVIEW_READY');
    const { body } = await callSharingApi<{ versions: Previewed[] }>(
      test,
      'GET',
      `/documents/${id}/versions`,
    );
    expect(body.versions.map(({ preview, page_count }) => [preview, page_count])).toEqual([
      ['PREVIEW_READY', 4],
      ['PREVIEW_READY', 3],
    ]);
    await callSharingApi(test, 'DELETE', `/documents/${id}/versions/1`);
    await expect.poll(async () => (await filesUnder(blobDirOf(test))).length).toBe(before);
    await callSharingApi(test, 'DELETE', `/documents/${id}`);
    await expect.poll(async () => (await filesUnder(blobDirOf(test))).length).toBe(before - 2);
  });
});
