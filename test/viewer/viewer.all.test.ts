import { expect, it } from 'vitest';
import { inkOf, overhangOf, phone } from '../support/browser-pages.ts';
import { makePdf } from '../support/pdf.ts';
import { callSharingApi, makePng, makeZip } from '../support/sharing-api.ts';
import { useViewer } from '../support/viewer-suite.ts';

const pdf = makePdf({ pages: 3, text: 'The terms' });

const { app, read, share } = useViewer();

it('a link shows the pages of a PDF with a text layer', async () => {
  const link = await share(pdf, 'terms.pdf');
  const { page, complaints } = await read();

  await page.goto(link.url);

  const text = page.locator('#viewer .page').first().locator('.textLayer');
  await expect.poll(() => text.textContent()).toBe('The terms, page 1');
  expect(await inkOf(page)).toBeGreaterThan(0.0005);
  expect(await page.locator('h1').textContent()).toBe('terms.pdf');
  expect(await page.title()).toBe('terms.pdf');
  expect(await page.getByLabel('Page (of 3)').inputValue()).toBe('1');
  expect(await page.locator('a', { hasText: 'Download' }).count()).toBe(0);
  expect(await overhangOf(page)).toBe(0);
  expect(complaints).toEqual([]);
});

it('a link shows an image, no preview of other files, and reports a damaged PDF', async () => {
  const link = await share(makePng(320, 200), 'picture.png');
  const { page, complaints } = await read();

  await page.goto(link.url);

  const image = page.locator('#viewer img');
  const width = () => page.evaluate<number>("document.querySelector('img').naturalWidth");
  await expect.poll(width).toBe(320);
  expect(await image.getAttribute('alt')).toBe('picture.png');

  const bytes = makeZip();
  const closed = await share(bytes, 'files.zip');
  const open = await share(bytes, 'files.zip', { allow_download: true });

  await page.goto(closed.url);
  expect(await page.locator('#viewer').textContent()).toContain('doesn’t allow downloads');
  expect(await page.locator('a').count()).toBe(0);

  await page.goto(open.url);
  const downloading = page.waitForEvent('download');
  await page.locator('a', { hasText: 'Download' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe('files.zip');
  expect(await page.getByRole('progressbar').count()).toBe(0);
  expect(complaints).toEqual([]);

  const broken = await share(Buffer.from(`%PDF-1.7\n${'garbage '.repeat(100)}`), 'broken.pdf');

  await page.goto(broken.url);

  const alert = page.getByRole('alert');
  await alert.waitFor();
  expect(await alert.textContent()).toContain('This document can’t be shown');
});

it('every kind of document fits a phone, and a gate as well', async () => {
  const { page, complaints } = await read(phone);
  for (const [what, bytes, filename, complete] of [
    ['a PDF', pdf, `${'a-name-without-any-space-'.repeat(8)}.pdf`, 'Document loaded, 3 pages'],
    ['an image', makePng(3000, 500), 'wide.png', 'Document loaded, 1 image'],
    ['another file', makeZip(), `${'long'.repeat(40)}.zip`, 'no preview for this file type'],
  ] as const) {
    const link = await share(bytes, filename, { allow_download: true });
    await page.goto(link.url);
    await expect.poll(() => page.locator('#viewer').textContent()).toContain(complete);
    expect(await overhangOf(page), what).toBe(0);
    expect(await overhangOf(page, '#viewer'), what).toBe(0);
    expect(await page.locator('a', { hasText: 'Download' }).isVisible(), what).toBe(true);
  }

  const link = await share(pdf, 'terms.pdf', { email_required: true });

  await page.goto(link.url);

  expect(await overhangOf(page)).toBe(0);
  const box = await page.getByRole('button', { name: 'Continue' }).boundingBox();
  expect(box?.height).toBeGreaterThanOrEqual(44);
  // The mark starts at 2 of the 32 units of its image, and is in line with the text.
  const mark = "getComputedStyle(document.querySelector('.card'), '::before')";
  const start = `parseFloat(${mark}.marginLeft) + (parseFloat(${mark}.width) * 2) / 32`;
  expect(await page.evaluate<number>(start)).toBe(0);
  expect(complaints).toEqual([]);
});

it('a gate asks for a valid email address before it fetches the document', async () => {
  const link = await share(pdf, 'terms.pdf', { email_required: true, show_title: false });
  const { page, requests, complaints } = await read();

  await page.goto(link.url);
  await page.waitForLoadState('networkidle');

  expect(await page.getByLabel('Email address').isVisible()).toBe(true);
  expect(await page.content()).not.toContain('terms.pdf');
  expect(requests.filter((request) => /file|download|pdf/.test(request))).toEqual([]);
  expect(complaints).toEqual([]);

  // The browser accepts this address, the server rejects it.
  await page.getByLabel('Email address').fill('reader@localhost');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('alert').textContent()).toContain('name@example.com');
  expect(requests.some((request) => request.endsWith('/file'))).toBe(false);
  // Chromium logs the response with 400.
  const ownLog = 'Failed to load resource: the server responded with a status of 400';
  await expect.poll(() => complaints).toEqual([expect.stringContaining(ownLog)]);
  complaints.length = 0;

  await page.getByLabel('Email address').fill('reader@example.com');
  await page.keyboard.press('Enter');

  const text = page.locator('#viewer .page').first().locator('.textLayer');
  await expect.poll(() => text.textContent()).toBe('The terms, page 1');
  expect(await inkOf(page)).toBeGreaterThan(0.0005);
  const views = () => callSharingApi(app(), 'GET', `/links/${link.id}/views`);
  await expect.poll(views).toMatchObject({ body: { views: [{ email: 'reader@example.com' }] } });
  expect(complaints).toEqual([]);

  await page.reload();
  await expect.poll(() => text.textContent()).toBe('The terms, page 1');
  const again = await callSharingApi(app(), 'GET', `/links/${link.id}`);
  expect(again.body).toMatchObject({ view_count: 1 });
});

it('the viewer permits no markup and no policy of other code', async () => {
  const { page } = await read();
  await page.goto((await share(pdf, 'terms.pdf', {})).url);
  const attempts = await page.evaluate(`
    [
      () => { document.body.innerHTML = '<b>'; },
      () => trustedTypes.createPolicy('other', {}),
      () => new Worker('/assets/other.js'),
    ].map((attempt) => {
      try { return String(attempt()); } catch (error) { return error.message; }
    })
  `);
  expect(attempts).toEqual([
    expect.stringContaining('TrustedHTML'),
    expect.stringContaining('createPolicy'),
    expect.stringContaining('TrustedScriptURL'),
  ]);
});
