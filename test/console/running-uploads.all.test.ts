import { describe, expect, it } from 'vitest';
import { desktop, overhangOf, phone, takePicture } from '../support/browser-pages.ts';
import { openWorkspaces, signOut } from '../support/console-menus.ts';
import { endSessions, expectAccessible, fillSignIn } from '../support/console-suite.ts';
import {
  choose,
  documentNamed,
  fileOf,
  holdUploads,
  rowOf,
  uploading,
} from '../support/console-uploads.ts';

const { app, member, openDocuments, storedAs } = uploading(2_000_000);

describe('running uploads', () => {
  it('continue on other screens, which show them', async () => {
    const { page } = await openDocuments();
    const { held, letGo } = await holdUploads(page);
    await choose(page, fileOf('Far 1.zip'), fileOf('Far 2.zip'));
    await expect.poll(() => held.length).toBe(2);
    await openWorkspaces(page);
    await page.getByText('Uploading 2 files.').waitFor();
    await page.getByRole('link', { name: 'Demo workspace' }).waitFor();
    await expectAccessible(page);
    await takePicture(page, 'upload-elsewhere');
    letGo();
    await page.getByText('Uploading 2 files.').waitFor({ state: 'detached' });
    await expect.poll(() => storedAs('Far 2.zip')).toBeDefined();
  });

  it('are also shown on other screens if they fail', async () => {
    const { page } = await openDocuments();
    const { held } = await holdUploads(page);
    await choose(page, fileOf('Unlucky.zip'));
    await expect.poll(() => held.length).toBe(1);
    await openWorkspaces(page);
    await held[0]?.fulfill({ status: 503, json: { code: 'unavailable', detail: 'Away.' } });
    await page.getByText('1 file failed to upload.').waitFor();
    await page.getByRole('link', { name: 'Show uploads' }).click();
    await rowOf(page, 'Unlucky.zip').getByText('Away.').waitFor();
  });

  it('make the browser ask before the tab closes', async () => {
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

  it('are cancelled by a sign-out and hidden from the next user', async () => {
    const { page } = await openDocuments();
    const { held } = await holdUploads(page);
    await choose(page, fileOf('Private.zip'));
    await expect.poll(() => held.length).toBe(1);
    await signOut(page);
    const dialog = page.getByRole('dialog', { name: 'Sign out and cancel uploads?' });
    await dialog.getByText('cancels the running uploads').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();

    await fillSignIn(page, await member('member'));
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    expect(await page.getByText('Private.zip').count()).toBe(0);
    expect(await storedAs('Private.zip')).toBeUndefined();
  });

  it('are kept for the next sign-in if the session expires', async () => {
    const own = await member('member');
    const { page } = await openDocuments(desktop, own);
    await page.getByRole('table', { name: 'Documents' }).waitFor();
    await endSessions(app(), own.id);
    const names = ['Late 1.zip', 'Late 2.zip', 'Late 3.zip', 'Late 4.zip', 'Late 5.zip'];
    await choose(page, ...names.map((name) => fileOf(name)));
    await page.getByText('Your session has expired.').waitFor();
    await fillSignIn(page, own);
    await page.getByRole('heading', { level: 1, name: 'Documents' }).waitFor();
    for (const name of names) {
      await rowOf(page, name).getByRole('button', { name: 'Try again' }).click();
      await documentNamed(page, name).waitFor();
    }
  });

  it('fit on a phone', async () => {
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
    await takePicture(page, 'upload-phone');
    await held[0]?.continue();
    await documentNamed(page, long).waitFor();
  });
});
