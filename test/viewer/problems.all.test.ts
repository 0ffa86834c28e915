// The messages of the viewer.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { desktop, inkOf, phone } from '../support/browser-pages.ts';
import { makeLockedPdf } from '../support/locked-pdf.ts';
import { makePdf } from '../support/pdf.ts';
import { callSharingApi, makePng } from '../support/sharing-api.ts';
import { useViewer } from '../support/viewer-suite.ts';

const { app, read, share } = useViewer();

/** Larger than the part that is fetched for the first pages. */
const largePdf = makePdf({ pages: 13, text: 'Long terms', pageBytes: 300_000 });

const textOf = (page: Page, number: number) =>
  page
    .locator('#viewer .page')
    .nth(number - 1)
    .locator('.textLayer')
    .textContent();

async function jumpTo(page: Page, number: number): Promise<void> {
  await page.getByLabel(/^Page \(of/).fill(String(number));
  await page.keyboard.press('Enter');
}

/** Waits until the pages are drawn, so that no request for them is under way. */
async function expectDrawn(page: Page, ...numbers: number[]): Promise<void> {
  for (const number of numbers) {
    await expect.poll(() => textOf(page, number)).toBe(`Long terms, page ${number}`);
  }
}

async function openLarge(options = desktop) {
  const link = await share(largePdf, 'long.pdf', { allow_download: true });
  const reader = await read(options);
  await reader.page.goto(link.url);
  await expectDrawn(reader.page, 1);
  return { ...reader, link };
}

it('changed access rules show a message and lead back to the same page', async () => {
  const { page, link } = await openLarge();
  // After a jump, a page before the current one is not drawn.
  await expectDrawn(page, 2);
  await jumpTo(page, 3);
  await expect.poll(() => page.url()).toContain('#page=3');
  await expectDrawn(page, 3, 4);

  await callSharingApi(app(), 'PATCH', `/links/${link.id}`, { email_required: true });
  await jumpTo(page, 9);

  const alert = page.getByRole('alert');
  await alert.waitFor();
  expect(await alert.textContent()).toContain('Confirm your access');
  expect(await page.locator('#viewer canvas').count()).toBe(0);
  await expect.poll(() => page.url()).toContain('#page=9');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByLabel('Email address').fill('reader@example.com');
  await page.keyboard.press('Enter');
  await expect.poll(() => textOf(page, 9)).toBe('Long terms, page 9');
  expect(await page.getByLabel('Page (of 13)').inputValue()).toBe('9');
});

it('a document closes without input when the reader loses access', async () => {
  const { page } = await read();
  await page.clock.install();
  for (const [bytes, name] of [
    [largePdf, 'long.pdf'],
    [makePng(320, 200), 'picture.png'],
    [Buffer.from('The terms'), 'terms.txt'],
    [Buffer.from('a,b\n1,2'), 'table.csv'],
  ] as const) {
    for (const change of ['revoked', 'changed'] as const) {
      const what = `${name} ${change}`;
      const link = await share(bytes, name, {});
      await page.goto(link.url);
      const content = page.locator('#viewer').locator('canvas, img, pre, table').first();
      await content.waitFor();
      await page.context().setOffline(true);
      await page.clock.fastForward(16_000);
      expect(await content.count(), what).toBe(1);
      await page.context().setOffline(false);
      const address = `/links/${link.id}`;
      if (change === 'revoked') await callSharingApi(app(), 'DELETE', address);
      else await callSharingApi(app(), 'PATCH', address, { email_required: true });

      const title = change === 'revoked' ? 'no longer available' : 'Confirm your access';
      // The message about the lost connection may still be there.
      const alert = page.getByRole('alert').filter({ hasText: title });
      // The first request after the connection returned can still fail.
      const countLater = async () => {
        await page.clock.fastForward(16_000);
        return alert.count();
      };
      await expect.poll(countLater, { message: what, interval: 500, timeout: 20_000 }).toBe(1);
      expect(await content.count(), what).toBe(0);
      expect(await page.locator('header :is(button, a, input)').count(), what).toBe(0);
    }
  }
});

it('a check of access without an answer ends', async () => {
  const link = await share(Buffer.from('The terms'), 'terms.txt', {});
  const { page } = await read();
  await page.addInitScript(`{
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    AbortSignal.timeout = () => timeout(100);
  }`);
  await page.goto(link.url);
  await page.locator('#viewer pre').first().waitFor();
  await page.route(/\/(view|file)$/, () => {});
  const ended = page.waitForEvent('requestfailed', (one) => one.resourceType() === 'fetch');
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  await ended;
});

it('a lost connection and a server that does not respond show a message and recover', async () => {
  const { page } = await openLarge(phone);

  await page.context().setOffline(true);
  await jumpTo(page, 9);

  const alert = page.getByRole('alert');
  await alert.waitFor();
  expect(await alert.textContent()).toContain('No connection');
  expect(await page.locator('#viewer .page').count()).toBe(13);
  await page.context().setOffline(false);
  await alert.waitFor({ state: 'detached' });
  await expect.poll(() => textOf(page, 9)).toBe('Long terms, page 9');

  await page.goto((await share(largePdf, 'long.pdf', {})).url);
  await expectDrawn(page, 1, 2);
  let isDown = true;
  await page.route('**/file', (route) =>
    isDown ? route.abort('connectionrefused') : route.continue(),
  );

  await jumpTo(page, 9);

  await alert.waitFor();
  expect(await alert.textContent()).toContain('The server doesn’t respondTrying again …');
  isDown = false;
  await alert.waitFor({ state: 'detached' });
  await expect.poll(() => textOf(page, 9)).toBe('Long terms, page 9');
  await page.unroute('**/file');

  // A server error can be retried.
  await page.goto((await share(largePdf, 'long.pdf', {})).url);
  await expectDrawn(page, 1, 2);
  let isBroken = true;
  // Only one request fails: a second one could fail after the retry.
  let broken: string | undefined;
  await page.route('**/file', (route) => {
    const { range = '' } = route.request().headers();
    broken ??= range;
    return isBroken && range === broken ? route.fulfill({ status: 503 }) : route.continue();
  });

  await jumpTo(page, 9);

  await alert.waitFor();
  expect(await alert.textContent()).toContain('The server doesn’t respond');
  isBroken = false;
  await page.getByRole('button', { name: 'Try now' }).click();
  await expect.poll(() => textOf(page, 9)).toBe('Long terms, page 9');
  await expect.poll(() => alert.count()).toBe(0);
});

it('a script that does not load is a lost connection only without a network', async () => {
  const link = await share(Buffer.from('name,share\nAda,60 %\n'), 'shares.csv', {});
  const { page } = await read(phone);
  const alert = page.getByRole('alert');
  const shown = page.getByRole('cell', { name: 'Ada' });
  const script = /\/assets\/show-table-/;
  await page.route(script, (route) => route.abort('connectionreset'));

  await page.goto(link.url);

  await alert.waitFor();
  expect(await alert.textContent()).toContain('The server doesn’t respond');
  await page.unroute(script);
  await page.getByRole('button', { name: 'Try now' }).click();
  await shown.waitFor();

  await page.route(script, async (route) => {
    await page.context().setOffline(true);
    await route.abort('internetdisconnected');
  });
  await page.goto((await share(Buffer.from('name\nAda\n'), 'names.csv', {})).url);
  await alert.waitFor();
  expect(await alert.textContent()).toContain('No connection');
  await page.unroute(script);
  await page.context().setOffline(false);
  await shown.waitFor();
});

it('an image that is damaged or revoked before it loads shows an error only', async () => {
  const bytes = makePng(320, 200);
  // An image with a width of zero.
  bytes.writeUInt32BE(0, 16);
  const link = await share(bytes, 'torn.png', { allow_download: true });
  const { page } = await read();

  await page.goto(link.url);

  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('alert').textContent()).toContain('can’t be shown');
  const notice = page.getByRole('main').getByRole('link', { name: 'Download' });
  expect(await notice.isVisible()).toBe(true);

  const revoked = await share(makePng(320, 200), 'picture.png', { allow_download: true });
  await page.route('**/file', async (route) => {
    await callSharingApi(app(), 'DELETE', `/links/${revoked.id}`);
    await route.continue();
  });

  await page.goto(revoked.url);

  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('alert').textContent()).toContain('no longer available');
  expect(await page.locator('#viewer img').count()).toBe(0);
  expect(await page.getByRole('link').count()).toBe(0);
});

it('an encrypted PDF asks for the password until it is right', async () => {
  const link = await share(makeLockedPdf('The locked terms', 'open sesame'), 'locked.pdf');
  const { page, requests, complaints } = await read();
  await page.goto(link.url);

  const field = page.getByLabel('Password');
  await field.fill('a wrong one');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('alert').textContent()).toBe('Wrong password.');
  await field.fill('open sesame');
  const before = requests.length;
  await page.getByRole('button', { name: 'Open' }).click();

  await expect.poll(() => textOf(page, 1)).toBe('The locked terms');
  expect(await inkOf(page)).toBeGreaterThan(0.0005);
  // The viewer reports the view. The password is not sent.
  const posts = requests.slice(before).filter((one) => one.startsWith('POST'));
  expect(posts.filter((one) => !one.endsWith('/view'))).toEqual([]);
  expect(complaints).toEqual([]);
});

it('without JavaScript, a PDF has a message, and an image is shown', async () => {
  const options = { ...desktop, javaScriptEnabled: false };
  const pdf = await share(makePdf({ pages: 1, text: 'The terms' }), 'terms.pdf');
  const image = await share(makePng(320, 200), 'picture.png');
  const { page } = await read(options);

  await page.goto(pdf.url);
  expect(await page.locator('noscript h2').textContent()).toBe('JavaScript is required');
  expect((await page.locator('noscript .notice').boundingBox())?.width).toBeGreaterThan(300);

  await page.goto(image.url);
  const box = await page.locator('#viewer img').boundingBox();
  expect(box?.width).toBe(320);
});
