// The names of links without a name, and the buttons of their dialog.
import { describe, expect, it } from 'vitest';
import { phone, takePicture } from '../support/browser-pages.ts';
import { chooseRowAction, documentTab } from '../support/console-menus.ts';
import { expectAccessible, useConsole } from '../support/console-suite.ts';
import { rowOf } from '../support/link-rows.ts';
import { makePdf } from '../support/pdf.ts';
import { makeLink, makeZip, upload } from '../support/sharing-api.ts';

const { app, workspaceId, visitAs, member } = useConsole();

const linksPath = () => `/workspaces/${workspaceId()}/links`;

describe('a link without a name', () => {
  it('has the title of its document and a fact that distinguishes it', async () => {
    const document = await upload(app(), makePdf({ pages: 1, text: 'Plan' }), 'plan.pdf');
    const people = { allow_list: ['jane@example.com', '@partner.example'] };
    await makeLink(app(), document.id, people);
    await makeLink(app(), document.id);
    const { page, open } = await visitAs(await member('member'));
    await open(linksPath());
    const forJane = 'Link for jane@example.com and 1 more';
    await page.getByRole('link', { name: forJane }).waitFor();
    const unnamed = page.getByRole('link', { name: /^[A-Z]\w+ \d+, \d/ });
    await unnamed.waitFor();
    expect(await unnamed.evaluate((link) => link.scrollWidth <= link.clientWidth)).toBe(true);
    await rowOf(page, forJane).getByRole('link', { name: 'plan.pdf', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'plan.pdf' }).waitFor();
    await documentTab(page, 'Links').click();
    await page.getByRole('link', { name: forJane }).click();
    const title = 'plan.pdf · for jane@example.com and 1 more';
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
  });
});

describe('the dialog of a link', () => {
  it('says that a ZIP archive can only be downloaded', async () => {
    const archive = await upload(app(), makeZip(), 'files.zip');
    await makeLink(app(), archive.id, { name: 'Files', allow_download: true });
    const { page, open } = await visitAs(await member('member'));
    await open(linksPath());
    await chooseRowAction(rowOf(page, 'Files'), 'Edit');
    const edit = page.getByRole('dialog', { name: 'Edit link' });
    await edit.getByText('Anyone with the link can download the file.').waitFor();
    await edit.getByText('Browsers can’t show this type of file').waitFor();
    await edit.getByLabel('Name').fill('Archive');
    await edit.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('status').getByText('Link saved').waitFor();
  });

  it.each([phone, { viewport: { width: 1024, height: 700 } }])(
    'keeps its button in the window: %o',
    async (settings) => {
      const { page, open } = await visitAs(await member('member'), settings);
      await open(linksPath());
      await page.getByRole('button', { name: 'Create link' }).click();
      const dialog = page.getByRole('dialog', { name: 'Create link' });
      await dialog.getByText('More options').click();
      const isInside = () =>
        page.evaluate<boolean>(`(() => {
          const button = document.querySelector('[role=dialog] button[type=submit]');
          const { bottom, left, width } = button.getBoundingClientRect();
          const seen = document.elementFromPoint(left + width / 2, bottom - 4);
          return bottom <= innerHeight && button.contains(seen);
        })()`);
      await expect.poll(isInside).toBe(true);
      await takePicture(page, `links-footer-${settings.viewport?.width}`);
      await dialog.getByLabel('Show the name of the document').scrollIntoViewIfNeeded();
      await expect.poll(isInside).toBe(true);
      await expectAccessible(page);
    },
  );
});
