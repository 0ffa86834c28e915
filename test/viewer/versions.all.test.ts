// An open page of a link whose document gets a new version.
import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { makePdf } from '../support/pdf.ts';
import { uploadVersion } from '../support/sharing-api.ts';
import { useViewer } from '../support/viewer-suite.ts';

const { app, read, share } = useViewer();

/** Larger than the part that is fetched for the first pages. */
const old = makePdf({ pages: 13, text: 'Old terms', pageBytes: 300_000 });

it.each(['asks', 'reads on'])('offers the new version when it %s', async (how) => {
  const link = await share(old, 'terms.pdf');
  const { page } = await read();
  await page.goto(link.url);
  const text = (number: number) =>
    page
      .locator('#viewer .page')
      .nth(number - 1)
      .locator('.textLayer')
      .textContent();
  await expect.poll(() => text(1)).toBe('Old terms, page 1');

  await uploadVersion(app(), link.document_id, makePdf({ pages: 2, text: 'New terms' }), 'new.pdf');
  if (how === 'asks') {
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  } else {
    await page.getByLabel(/^Page \(of/).fill('9');
    await page.keyboard.press('Enter');
  }

  const alert = page.getByRole('alert');
  await alert.waitFor();
  expect(await alert.textContent()).toContain('A newer version is available');
  await page.setViewportSize({ width: 390, height: 844 });
  const bar = page.locator('.notice.bar');
  const widthOf = async (part: Locator) => (await part.boundingBox())?.width ?? 0;
  await expect
    .poll(async () => (await widthOf(bar.locator('p'))) / (await widthOf(bar)))
    .toBeGreaterThan(0.8);
  expect(await page.locator('#viewer canvas').count()).toBeGreaterThan(0);
  await page.getByRole('button', { name: 'Show new version' }).click();
  await expect.poll(() => text(1)).toBe('New terms, page 1');
});
