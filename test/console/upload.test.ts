import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { consoles, expectAccessible, fillSignIn } from '../support/console.ts';
import { makeReport } from '../support/report-pdf.ts';
import { api, makeZip, sha256 } from '../support/sharing.ts';
import { overhangOf, phone, picture } from '../support/viewing.ts';

const uploadBytesMax = 2_000_000;
const { app, workspaceId, visitAs, member } = consoles({ config: { uploadBytesMax } });

const uploads = '**/api/v1/documents';

type Chosen = { readonly name: string; readonly mimeType: string; readonly buffer: Buffer };
const fileOf = (name: string, buffer: Buffer = makeZip(name)): Chosen => ({
  name,
  // Whatever the browser takes it for, the service looks at the bytes.
  mimeType: 'text/plain',
  buffer,
});

async function openDocuments(settings?: Parameters<typeof visitAs>[1]) {
  const person = await member('member');
  const visit = await visitAs(person, settings);
  await visit.open(`/workspaces/${workspaceId()}/documents`);
  return { ...visit, person };
}

async function choose(page: Page, ...files: Chosen[]) {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Upload files' }).click();
  await (await chooser).setFiles(files);
}

const rowOf = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Uploads' }).getByRole('listitem').filter({ hasText: name });

const documentNamed = (page: Page, name: string) =>
  page.getByRole('table', { name: 'Documents' }).getByRole('link', { name, exact: true });

type Stored = { name: string; content_type: string; sha256: string };

async function storedAs(name: string): Promise<Stored | undefined> {
  const answer = await api<{ documents: Stored[] }>(app(), 'GET', '/documents?page_size=200');
  return answer.body.documents.find((document) => document.name === name);
}

/** Keeps uploads under way until they are let go. */
async function holdUploads(page: Page) {
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

const answerWith = (page: Page, status: number, code: string, detail: string) =>
  page.route(uploads, (route) =>
    route.fulfill({ status, json: { status, code, detail, request_id: 'request-7' } }),
  );

describe('an upload', () => {
  it('takes several files at once, and opens what it has stored', async () => {
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
    await page.getByRole('heading', { level: 1, name: 'Plan.pdf' }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Clear finished uploads' }).click();
    await rowOf(page, 'Plan.pdf').waitFor({ state: 'detached' });
  });

  it('takes what is dropped onto the page', async () => {
    const { page } = await openDocuments();
    const dataTransfer = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      for (const name of ['Dropped 1.txt', 'Dropped 2.txt']) {
        transfer.items.add(new File(['some text'], name));
      }
      return transfer;
    })()`);
    await page.dispatchEvent('h1', 'dragover', { dataTransfer });
    await page.getByText('Drop the files to upload them').waitFor();
    await expectAccessible(page);
    await picture(page, 'upload-drop');
    await page.dispatchEvent('h1', 'drop', { dataTransfer });
    await documentNamed(page, 'Dropped 1.txt').waitFor();
    await documentNamed(page, 'Dropped 2.txt').waitFor();
    expect(await page.getByText('Drop the files to upload them').count()).toBe(0);
    expect((await storedAs('Dropped 2.txt'))?.sha256).toBe(sha256(Buffer.from('some text')));
  });

  it('waits while three others are under way', async () => {
    const { page } = await openDocuments();
    const { held, letGo } = await holdUploads(page);
    const names = [1, 2, 3, 4, 5].map((number) => `Queue ${number}.zip`);
    await choose(page, ...names.map((name) => fileOf(name)));
    await expect.poll(() => held.length).toBe(3);
    expect(await page.getByRole('progressbar').count()).toBe(3);
    expect(await page.getByText('Waiting for the others').count()).toBe(2);
    await picture(page, 'upload-queue');
    await expectAccessible(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectAccessible(page);
    await picture(page, 'upload-queue-dark');

    await page.getByRole('button', { name: 'Cancel Queue 1.zip' }).click();
    await rowOf(page, 'Queue 4.zip').getByText('0%').waitFor();
    expect(await page.getByText('Waiting for the others').count()).toBe(1);
    letGo();
    await page.getByText('4 of 4 files uploaded').waitFor();
    expect(await storedAs('Queue 5.zip')).toBeDefined();
    expect(await storedAs('Queue 1.zip')).toBeUndefined();
  });

  it('tells how far it has come, and can be cancelled', async () => {
    const { page } = await openDocuments();
    const network = await page.context().newCDPSession(page);
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 150_000 };
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

  it('renews a token that is good no more', async () => {
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
});

describe('an upload that fails', () => {
  it('of a file that is too large is not even sent', async () => {
    const { page, requests } = await openDocuments();
    await choose(page, fileOf('Large.bin', Buffer.alloc(uploadBytesMax + 100_000)));
    const row = rowOf(page, 'Large.bin');
    await row.getByText('It has 2.1 MB; the service takes 2 MB at most.').waitFor();
    expect(await row.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    expect(requests).not.toContain('POST /api/v1/documents');
    await expectAccessible(page);
    await row.getByRole('button', { name: 'Remove Large.bin' }).click();
    await row.waitFor({ state: 'detached' });
  });

  it('says why the service refuses it, with what a support request should quote', async () => {
    const { page } = await openDocuments();
    await choose(page, fileOf('Empty.txt', Buffer.alloc(0)));
    const row = rowOf(page, 'Empty.txt');
    await row.getByText('is empty or missing').first().waitFor();
    await row.getByText('Request id:').waitFor();
    await page.getByText('0 of 1 file uploaded, 1 failed').waitFor();
    await picture(page, 'upload-refused');
  });

  it('shows the words of the service where its limit has become smaller', async () => {
    const { page } = await openDocuments();
    await answerWith(page, 413, 'payload_too_large', 'The file is larger than 10 bytes.');
    await choose(page, fileOf('Limited.zip'));
    const row = rowOf(page, 'Limited.zip');
    await row.getByText('The file is larger than 10 bytes.').waitFor();
    await row.getByText('request-7').waitFor();
    expect(await row.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });

  it('for a while is tried again on demand', async () => {
    const { page } = await openDocuments();
    await answerWith(page, 503, 'unavailable', 'Too many uploads are under way.');
    await choose(page, fileOf('Later.zip'));
    const row = rowOf(page, 'Later.zip');
    await row.getByText('Too many uploads are under way.').waitFor();
    await page.unroute(uploads);
    await row.getByRole('button', { name: 'Try again' }).click();
    await documentNamed(page, 'Later.zip').waitFor();
  });

  it('since the service could not be reached is tried again on demand', async () => {
    const { page, complaints } = await openDocuments();
    await page.route(uploads, (route) => route.abort());
    await choose(page, fileOf('Offline.zip'));
    const row = rowOf(page, 'Offline.zip');
    await row.getByText('The service could not be reached').waitFor();
    expect(complaints.splice(0)).toEqual(['Failed to load resource: net::ERR_FAILED']);
    await page.unroute(uploads);
    await row.getByRole('button', { name: 'Try again' }).click();
    await documentNamed(page, 'Offline.zip').waitFor();
  });

  it('at something before the service is told as that', async () => {
    const { page } = await openDocuments();
    await page.route(uploads, (route) => route.fulfill({ status: 502, body: '<h1>Oops</h1>' }));
    await choose(page, fileOf('Proxy.zip'));
    await rowOf(page, 'Proxy.zip').getByText('The answer was 502').waitFor();
  });
});

describe('uploads under way', () => {
  it('go on while other pages are looked at, which tell of them', async () => {
    const { page } = await openDocuments();
    const { held, letGo } = await holdUploads(page);
    await choose(page, fileOf('Far 1.zip'), fileOf('Far 2.zip'));
    await expect.poll(() => held.length).toBe(2);
    await page.getByRole('link', { name: 'Workspaces' }).click();
    await page.getByText('2 files being uploaded.').waitFor();
    await page.getByRole('link', { name: 'Demo workspace' }).waitFor();
    await expectAccessible(page);
    await picture(page, 'upload-elsewhere');
    letGo();
    await page.getByText('2 files being uploaded.').waitFor({ state: 'detached' });
    expect(await storedAs('Far 2.zip')).toBeDefined();
  });

  it('that failed meanwhile are told of, too', async () => {
    const { page } = await openDocuments();
    const { held } = await holdUploads(page);
    await choose(page, fileOf('Unlucky.zip'));
    await expect.poll(() => held.length).toBe(1);
    await page.getByRole('link', { name: 'Workspaces' }).click();
    await held[0]?.fulfill({ status: 503, json: { code: 'unavailable', detail: 'Away.' } });
    await page.getByText('1 file not uploaded.').waitFor();
    await page.getByRole('link', { name: 'Show uploads' }).click();
    await rowOf(page, 'Unlucky.zip').getByText('Away.').waitFor();
  });

  it('make the browser ask before the page is closed, and only they', async () => {
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
  });

  it('are ended by a sign-out after a question, and are nothing to the next user', async () => {
    const { page } = await openDocuments();
    const { held } = await holdUploads(page);
    await choose(page, fileOf('Private.zip'));
    await expect.poll(() => held.length).toBe(1);
    await page.getByRole('button', { name: 'Sign out' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign out during an upload?' });
    await dialog.getByText('they are not stored').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();

    await fillSignIn(page, await member('member'));
    await page.getByRole('heading', { level: 1, name: 'Documents' }).waitFor();
    expect(await page.getByText('Private.zip').count()).toBe(0);
    expect(await storedAs('Private.zip')).toBeUndefined();
  });

  it('fit on a phone', async () => {
    const { page } = await openDocuments(phone);
    const { held } = await holdUploads(page);
    const long = `An ${'unbroken'.repeat(9)} name.zip`;
    await choose(page, fileOf(long), fileOf('Empty.txt', Buffer.alloc(0)));
    await expect.poll(() => held.length).toBe(2);
    await held[1]?.continue();
    await rowOf(page, 'Empty.txt').getByText('Request id:').waitFor();
    expect(await overhangOf(page)).toBe(0);
    await expectAccessible(page);
    await picture(page, 'upload-phone');
    await held[0]?.continue();
    await documentNamed(page, long).waitFor();
  });
});
