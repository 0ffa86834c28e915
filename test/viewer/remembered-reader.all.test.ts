// A reader who is remembered on the device, in a browser.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { sharedBrowser } from '../support/browser.ts';
import { desktop, newReader, overhangOf, phone, takePicture } from '../support/browser-pages.ts';
import { answer, expectAsked, expectDocument, press } from '../support/gate-pages.ts';
import { codesFor, lastCode } from '../support/gate-visitor.ts';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { makePdf } from '../support/pdf.ts';
import { makeLink, upload } from '../support/sharing-api.ts';

let test: TestApp;
let browser: Browser;
let documentId: string;
beforeAll(async () => {
  test = await startTestApp();
  browser = await sharedBrowser();
  documentId = (await upload(test, makePdf({ pages: 2, text: 'The terms' }), 'terms.pdf')).id;
});
afterAll(() => test.remove());

it.each([
  ['desk', desktop],
  ['phone', phone],
])('agrees, opens another link without a code, and is forgotten: %s', async (name, options) => {
  const email = `remembered.${name}@example.com`;
  const share = () => makeLink(test, documentId, { email_verification_required: true, ...asks });
  const [first, second, third] = [await share(), await share(), await share()];
  const { page, complaints } = await newReader(browser, test.app.publicUrl, options);
  onTestFinished(() => page.context().close());
  const look = async (what: string) => {
    expect(await overhangOf(page), what).toBe(0);
    await takePicture(page, `gate-remember-${name}-${what}`);
  };
  await page.goto(first.url);
  const box = page.getByLabel('Remember me on this device');
  expect(await box.isChecked()).toBe(false);
  const target = await page.locator('label.accept').boundingBox();
  expect(target?.height).toBeGreaterThanOrEqual(24);
  await page.getByText('Remember me on this device').click();
  await look('asked');
  await answer(page, 'Email address', email);
  await answer(page, 'Code', await lastCode(test, email));
  await expectDocument(page);

  await page.goto(second.url);
  await page.getByText('so you need no code').waitFor();
  expect(await page.getByLabel('Email address').inputValue()).toBe(email);
  await look('known');
  await press(page, 'Continue');
  await expectDocument(page);
  expect(await codesFor(test, email)).toHaveLength(1);

  await page.goto(third.url);
  await press(page, 'Forget me on this device');
  await expectAsked(page, 'Email address');
  expect(await page.getByLabel('Email address').inputValue()).toBe('');
  expect(await box.isChecked()).toBe(false);
  expect(complaints).toEqual([]);
});

const asks = { email_required: true };
