// The agreement of a link in a browser.
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { sharedBrowser } from '../support/browser.ts';
import { desktop, newReader, overhangOf, phone } from '../support/browser-pages.ts';
import { lastCode } from '../support/gate-visitor.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { makePdf } from '../support/pdf.ts';
import { makeLink, upload } from '../support/sharing-api.ts';

const agreement =
  '# Terms\n\nKeep it **secret**.\n\n![x](https://example.com/x.png) <script>1</script>';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.remove());

it.each([
  ['desktop', desktop],
  ['phone', phone],
])('is formatted, accepted and followed by the document on a %s', async (name, options) => {
  const document = await upload(test, makePdf({ pages: 1, text: 'The plan' }), 'plan.pdf');
  const link = await makeLink(test, document.id, { agreement });
  const { page } = await newReader(await sharedBrowser(), test.app.publicUrl, options);
  onTestFinished(() => page.context().close());
  await page.goto(link.url);
  const email = `signer-${name}@example.com`;
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByLabel('Code').waitFor();
  // A complete code submits itself.
  await page.getByLabel('Code').fill(await lastCode(test, email));
  const text = page.getByRole('region', { name: 'Agreement' });
  await text.getByRole('heading', { name: 'Terms' }).waitFor();
  expect(await text.locator('strong').textContent()).toBe('secret');
  expect(await text.locator('img, script').count()).toBe(0);
  expect(await overhangOf(page)).toBe(0);
  // Without the checkbox, the browser does not send the form.
  await page.getByRole('button', { name: 'Continue' }).click();
  expect(await page.locator('[name=agreement]:invalid').count()).toBe(1);
  await page.getByLabel('I accept the agreement').check();
  await page.getByRole('button', { name: 'Continue' }).click();
  const layer = page.locator('#viewer .page').first().locator('.textLayer');
  await expect.poll(() => layer.textContent()).toBe('The plan, page 1');
});
