import { expect, it } from 'vitest';
import { desktop, heading, overhangOf, phone } from '../support/browser-pages.ts';
import { chooseRowAction, openWorkspaces, signOut } from '../support/console-menus.ts';
import {
  changeColorScheme,
  endSessions,
  expectAccessible,
  fillSignIn,
} from '../support/console-suite.ts';
import {
  choose,
  documentNamed,
  fileOf,
  holdUploads,
  rowOf,
  uploading,
  uploads,
} from '../support/console-uploads.ts';
import { makeReport } from '../support/report-pdf.ts';
import { sha256 } from '../support/sharing-api.ts';

const uploadBytesMax = 2_000_000;
const { app, member, openDocuments, storedAs } = uploading(uploadBytesMax);

it('chosen and dropped files are uploaded, and others are ignored', async () => {
  const { page } = await openDocuments();
  const report = makeReport();
  await choose(page, fileOf('Plan.pdf', report), fileOf('He said "no".zip'));
  await page.getByText('2 of 2 files uploaded').waitFor();
  await documentNamed(page, 'Plan.pdf').waitFor();
  await documentNamed(page, 'He said "no".zip').waitFor();
  expect(await storedAs('Plan.pdf')).toMatchObject({
    content_type: 'application/pdf',
    sha256: sha256(report),
  });
  expect(await storedAs('He said "no".zip')).toBeDefined();
  await expectAccessible(page);
  await rowOf(page, 'Plan.pdf').getByRole('link').click();
  await heading(page, 'Plan.pdf').waitFor();
  await page.goBack();
  await page.getByRole('button', { name: 'Clear finished uploads' }).click();
  await rowOf(page, 'Plan.pdf').waitFor({ state: 'detached' });

  const dataTransfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    for (const name of ['Dropped 1.txt', 'Dropped 2.txt']) {
      transfer.items.add(new File(['some text'], name));
    }
    return transfer;
  })()`);
  await page.dispatchEvent('h1', 'dragover', { dataTransfer });
  await page.getByText('Drop files to upload').waitFor();
  await expectAccessible(page);
  await page.dispatchEvent('h1', 'drop', { dataTransfer });
  await documentNamed(page, 'Dropped 1.txt').waitFor();
  await documentNamed(page, 'Dropped 2.txt').waitFor();
  await page.getByText('Drop files to upload').waitFor({ state: 'detached' });
  expect((await storedAs('Dropped 2.txt'))?.sha256).toBe(sha256(Buffer.from('some text')));

  // Files that are dropped behind a dialog or on another screen.
  await choose(page, fileOf('Shown.zip'));
  /** Whether the browser would navigate to the dropped file. */
  const isOpened = () =>
    page.evaluate<boolean>(`(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['some text'], 'Stray.txt'));
      const init = { bubbles: true, cancelable: true, dataTransfer };
      return document.body.dispatchEvent(new DragEvent('drop', init));
    })()`);
  await chooseRowAction(page, 'Rename', '“Shown.zip”');
  await page.getByRole('dialog').waitFor();
  expect(await isOpened()).toBe(false);
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await openWorkspaces(page);
  await heading(page, 'Workspaces').waitFor();
  expect(await isOpened()).toBe(false);
  await page.goBack();
  await documentNamed(page, 'Shown.zip').waitFor();
  expect(await page.getByText('Stray.txt').count()).toBe(0);
});

it('an upload waits while three others run, shows its progress and can be cancelled', async () => {
  const { page } = await openDocuments();
  const { held, letGo } = await holdUploads(page);
  const names = Array.from({ length: 13 }, (_, i) => `Queue ${i + 1}.zip`);
  await choose(page, ...names.map((name) => fileOf(name)));
  await expect.poll(() => held.length).toBe(3);
  await expect.poll(() => page.getByRole('progressbar').count()).toBe(3);
  await expect.poll(() => page.getByText('Waiting').count()).toBe(10);
  await expectAccessible(page);
  await changeColorScheme(page, 'dark');
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Cancel Queue 1.zip' }).click();
  await rowOf(page, 'Queue 4.zip').getByText('0%').waitFor();
  await expect.poll(() => page.getByText('Waiting').count()).toBe(9);
  letGo();
  await page.getByText('12 of 12 files uploaded').waitFor();
  expect(await storedAs('Queue 13.zip')).toBeDefined();
  expect(await storedAs('Queue 1.zip')).toBeUndefined();

  await page.unroute(uploads);
  await changeColorScheme(page, 'light');
  await page.getByRole('button', { name: 'Clear finished uploads' }).click();
  const network = await page.context().newCDPSession(page);
  const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 20_000 };
  await network.send('Network.emulateNetworkConditions', slow);
  await choose(page, fileOf('Slow.bin', Buffer.alloc(1_800_000, 'a')));
  const bar = page.getByRole('progressbar', { name: 'Upload of Slow.bin' });
  const share = async () => Number(await bar.getAttribute('aria-valuenow'));
  await expect.poll(share).toBeGreaterThan(1);
  expect(await share()).toBeLessThan(100);
  await page.getByRole('button', { name: 'Cancel Slow.bin' }).click();
  await page.getByRole('region', { name: 'Uploads' }).waitFor({ state: 'detached' });
  expect(await storedAs('Slow.bin')).toBeUndefined();
});

it('an upload renews a rejected token', async () => {
  const { page, requests } = await openDocuments();
  let isOld = true;
  await page.route(uploads, (route) => {
    const headers = route.request().headers();
    const authorization = isOld ? 'Bearer x' : (headers.authorization ?? '');
    isOld = false;
    return route.continue({ headers: { ...headers, authorization } });
  });
  await choose(page, fileOf('Renewed.zip'));
  await documentNamed(page, 'Renewed.zip').waitFor();
  expect(requests.filter((one) => one.endsWith('/RefreshSession'))).toHaveLength(2);
});

it('a file that is empty, too large or refused by the service is reported', async () => {
  const { page, requests } = await openDocuments();
  await choose(page, fileOf('Large.bin', Buffer.alloc(uploadBytesMax + 1)));
  const row = rowOf(page, 'Large.bin');
  await row.getByText('The file is 2.1 MB. The limit is 2 MB.').waitFor();
  expect(await row.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  expect(requests).not.toContain('POST /api/v1/documents');
  await expectAccessible(page);
  await row.getByRole('button', { name: 'Remove Large.bin' }).click();
  await row.waitFor({ state: 'detached' });

  await choose(page, fileOf('Empty.txt', Buffer.alloc(0)));
  const emptyRow = rowOf(page, 'Empty.txt');
  await emptyRow.getByText('The file is empty.').waitFor();
  await emptyRow.getByText('Then choose the file again.').waitFor();
  expect(await emptyRow.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  expect(requests).not.toContain('POST /api/v1/documents');
  await expectAccessible(page);

  // Only a name with a quote is sent apart from the file.
  const name = `"${'x'.repeat(300)}.txt`;
  await choose(page, fileOf(name));
  const refused = rowOf(page, name);
  await refused.getByText('255').first().waitFor();
  await refused.getByText('Request ID:').waitFor();
  await page.getByText('0 of 2 files uploaded, 2 failed').waitFor();

  // The page does not know the limit.
  await page.route('**/console/**', async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace(/<meta name="upload-bytes-max"[^>]*>/, '');
    await route.fulfill({ response, body });
  });
  await page.reload();
  await choose(page, fileOf('Limited.bin', Buffer.alloc(uploadBytesMax + 100_000)));
  const limited = rowOf(page, 'Limited.bin');
  await limited.getByText(`The file is larger than ${uploadBytesMax} bytes.`).waitFor();
  await limited.getByText('Request ID:').waitFor();
  expect(await limited.getByRole('button', { name: 'Try again' }).count()).toBe(0);
});

it('a failed upload can be retried, and responses of other servers are reported', async () => {
  const { page, complaints } = await openDocuments();
  const headers = { 'retry-after': '7' };
  const detail = 'Too many uploads are under way.';
  const json = { status: 503, code: 'unavailable', detail, request_id: 'request-7' };
  await page.route(uploads, (route) => route.fulfill({ status: 503, headers, json }));
  await choose(page, fileOf('Later.zip'));
  const row = rowOf(page, 'Later.zip');
  await row.getByText(detail).waitFor();
  await row.getByText('Try again in 7 seconds.').waitFor();
  await page.unroute(uploads);
  await row.getByRole('button', { name: 'Try again' }).click();
  await documentNamed(page, 'Later.zip').waitFor();

  // The connection is lost.
  // Chromium has logged the error response.
  complaints.splice(0);
  await page.route(uploads, (route) => route.abort());
  await choose(page, fileOf('Offline.zip'));
  const offline = rowOf(page, 'Offline.zip');
  await offline.getByText('Can’t connect to the server').waitFor();
  await expect.poll(() => complaints).toEqual(['Failed to load resource: net::ERR_FAILED']);
  complaints.splice(0);
  await page.unroute(uploads);
  await offline.getByRole('button', { name: 'Try again' }).click();
  await documentNamed(page, 'Offline.zip').waitFor();

  // Proxies answer.
  await page.route(uploads, (route) => route.fulfill({ status: 502, body: '<h1>Oops</h1>' }));
  await choose(page, fileOf('Proxy.zip'));
  await rowOf(page, 'Proxy.zip').getByText('unexpected response with status 502').waitFor();
  await page.unroute(uploads);

  for (const body of ['<h1>Welcome</h1>', '{}']) {
    await page.route(uploads, (route) => route.fulfill({ status: 201, body }));
    await choose(page, fileOf('Lobby.zip'));
    const lobby = rowOf(page, 'Lobby.zip');
    await lobby.getByText('unexpected response with status 201').waitFor();
    await lobby.getByRole('button', { name: 'Remove Lobby.zip' }).click();
    await lobby.waitFor({ state: 'detached' });
    await page.unroute(uploads);
  }
});

it('running uploads continue on other screens, which show them and failures', async () => {
  const { page } = await openDocuments();
  const { held, letGo } = await holdUploads(page);
  await choose(page, fileOf('Far 1.zip'), fileOf('Far 2.zip'));
  await expect.poll(() => held.length).toBe(2);
  await choose(page, fileOf('Unlucky.zip'));
  await expect.poll(() => held.length).toBe(3);
  await openWorkspaces(page);
  await page.getByText('Uploading 3 files.').waitFor();
  await page.getByRole('link', { name: 'Demo workspace' }).waitFor();
  await expectAccessible(page);
  await held.pop()?.fulfill({ status: 503, json: { code: 'unavailable', detail: 'Away.' } });
  await page.getByText('Uploading 2 files, 1 file failed to upload.').waitFor();
  letGo();
  await page.getByText(/^1 file failed to upload\./).waitFor();
  await expect.poll(() => storedAs('Far 2.zip')).toBeDefined();
  await page.getByRole('link', { name: 'Show uploads' }).click();
  await rowOf(page, 'Unlucky.zip').getByText('Away.').waitFor();
});

it('closing a tab with uploads asks first, and a sign-out cancels them', async () => {
  const { page } = await openDocuments();
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  await choose(page, fileOf('Finished.zip'));
  await documentNamed(page, 'Finished.zip').waitFor();
  await page.reload();
  await documentNamed(page, 'Finished.zip').waitFor();
  expect(asked).toEqual([]);
  const { held } = await holdUploads(page);
  await choose(page, fileOf('Unfinished.zip'));
  await expect.poll(() => held.length).toBe(1);
  await page.reload();
  expect(asked).toEqual(['beforeunload']);

  await choose(page, fileOf('Private.zip'));
  await expect.poll(() => held.length).toBe(2);
  await signOut(page);
  const dialog = page.getByRole('dialog', { name: 'Sign out and cancel uploads?' });
  await dialog.getByText('cancels the running uploads').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Sign out' }).click();
  await heading(page, 'Sign in').waitFor();
  await fillSignIn(page, await member('member'));
  await heading(page, 'Home').waitFor();
  expect(await page.getByText('Private.zip').count()).toBe(0);
  expect(await storedAs('Private.zip')).toBeUndefined();
});

it('uploads are kept for the next sign-in if the session expires', async () => {
  const own = await member('member');
  const { page } = await openDocuments(desktop, own);
  await page.getByRole('table', { name: 'Documents' }).waitFor();
  await endSessions(app(), own.id);
  const names = ['Late 1.zip', 'Late 2.zip', 'Late 3.zip', 'Late 4.zip', 'Late 5.zip'];
  await choose(page, ...names.map((name) => fileOf(name)));
  await page.getByText('Your session has expired.').waitFor();
  await fillSignIn(page, own);
  await heading(page, 'Documents').waitFor();
  for (const name of names) {
    await rowOf(page, name).getByRole('button', { name: 'Try again' }).click();
    await documentNamed(page, name).waitFor();
  }
});

it('uploads fit on a phone', async () => {
  const { page } = await openDocuments(phone);
  const { held } = await holdUploads(page);
  const long = `An ${'unbroken'.repeat(9)} name.zip`;
  await choose(page, fileOf(long));
  await expect.poll(() => held.length).toBe(1);
  // The service refuses this type of body.
  await choose(page, fileOf('Refused.txt'));
  await expect.poll(() => held.length).toBe(2);
  await held[1]?.continue({ headers: { ...held[1].request().headers(), 'content-type': 'a/b' } });
  await rowOf(page, 'Refused.txt').getByText('Request ID:').waitFor();
  expect(await overhangOf(page)).toBe(0);
  await expectAccessible(page);
  await held[0]?.continue();
  await documentNamed(page, long).waitFor();
});
