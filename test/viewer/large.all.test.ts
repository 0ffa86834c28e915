import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { type BigPdf, makeBigPdf } from '../support/big-pdf.ts';
import { inkOf } from '../support/browser-pages.ts';
import { type DocumentFields, keyOf, makeLink } from '../support/sharing-api.ts';
import { useViewer } from '../support/viewer-suite.ts';

const { app, read } = useViewer();

async function uploadStreaming(pdf: BigPdf): Promise<DocumentFields> {
  const head =
    '--frontier\r\nContent-Disposition: form-data; name="file"; filename="big.pdf"\r\n\r\n';
  async function* form() {
    yield Buffer.from(head);
    yield* pdf.read();
    yield Buffer.from('\r\n--frontier--\r\n');
  }
  const response = await fetch(`${app().app.publicUrl}/api/v1/documents`, {
    method: 'POST',
    headers: { ...keyOf(app()), 'content-type': 'multipart/form-data; boundary=frontier' },
    body: Readable.toWeb(Readable.from(form())) as ReadableStream<Uint8Array>,
    duplex: 'half',
  } as RequestInit);
  expect(response.status).toBe(201);
  return (await response.json()) as DocumentFields;
}

it('shows the first page of 100 MB after less than one percent of it', async () => {
  const pdf = makeBigPdf();
  const document = await uploadStreaming(pdf);
  const link = await makeLink(app(), document.id);
  const { page, complaints } = await read();
  let asked = 0;
  let unranged = 0;
  page.on('response', (response) => {
    if (!response.url().endsWith('/file')) return;
    if (response.status() !== 206) unranged++;
    asked += Number(response.headers()['content-length']);
  });
  // The next page, an image of 4 MB, is drawn ahead, so its pieces wait until the count is done.
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/file', async (route) => {
    const [, begin, end] = /bytes=(\d+)-(\d+)/.exec(route.request().headers().range ?? '') ?? [];
    if (Number(end) - Number(begin) > 200_000) await held;
    await route.continue();
  });

  await page.goto(link.url);

  const text = page.locator('#viewer .page').first().locator('.textLayer');
  await expect.poll(() => text.textContent()).toBe(pdf.text);
  expect(document.size_bytes).toBe(pdf.bytes);
  expect(pdf.bytes).toBeGreaterThan(96_000_000);
  expect(await inkOf(page)).toBeGreaterThan(0.0005);
  expect(asked).toBeGreaterThan(0);
  expect(asked).toBeLessThan(pdf.bytes * 0.01);
  expect(unranged).toBe(0);
  release();
  await page.getByLabel(/^Page \(of/).fill('25');
  await page.keyboard.press('Enter');
  await page.locator('#viewer .page').nth(24).locator('canvas').waitFor();
  expect(asked).toBeLessThan(pdf.bytes * 0.25);
  expect(complaints).toEqual([]);
});
