// From a file to a link to "who read which page": counts the clicks, and prints the seconds if
// LATCHKEY_PRINT_TIMES is 'true'.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { useConsole } from '../support/console-suite.ts';
import { fileOf } from '../support/console-uploads.ts';
import { makeReport } from '../support/report-pdf.ts';

const { app, workspaceId, visitAs, visit, member } = useConsole();

/** Counts the clicks of the user, without key presses on buttons. */
const counting = `addEventListener('click', ({ isTrusted, detail }) => {
  if (isTrusted && detail > 0) globalThis.clicks = (globalThis.clicks ?? 0) + 1;
}, true)`;

const clicksOn = (page: Page) => page.evaluate<number>('globalThis.clicks ?? 0');

it('a file is shared with three clicks, and two more show who read which page', async () => {
  const owner = await visitAs(await member('member'));
  await owner.page.addInitScript(counting);
  await owner.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await owner.open(`/workspaces/${workspaceId()}/documents`);
  const steps: [string, number, number][] = [];
  let begun = performance.now();
  const step = (name: string, clicks: number) => {
    steps.push([name, clicks, (performance.now() - begun) / 1000]);
    begun = performance.now();
  };

  const chooser = owner.page.waitForEvent('filechooser');
  await owner.page.getByRole('button', { name: 'Upload files' }).click();
  await (await chooser).setFiles([fileOf('Report.pdf', makeReport())]);
  const uploads = owner.page.getByRole('region', { name: 'Uploads' });
  await uploads.getByRole('button', { name: 'Share “Report.pdf”' }).click();
  await owner.page.getByRole('button', { name: 'Create and copy link' }).click();
  await owner.page.getByRole('dialog', { name: 'Link created and copied' }).waitFor();
  const url = await owner.page.evaluate<string>('navigator.clipboard.readText()');
  step('file to copied link', await clicksOn(owner.page));
  expect(await clicksOn(owner.page)).toBe(3);

  const reader = await visit();
  await reader.page.addInitScript(counting);
  await reader.page.goto(url);
  await reader.page.getByRole('textbox').fill('reader@example.com');
  await reader.page.keyboard.press('Enter');
  await reader.page.locator('.page .textLayer span').first().waitFor();
  step('copied link to first page', await clicksOn(reader.page));

  await expect
    .poll(async () => {
      await app().app.inside.views.flush();
      const query = app().app.inside.db.selectFrom('view_pages').selectAll();
      return (await query.execute()).length;
    })
    .toBeGreaterThan(0);
  step('first page to recorded view', 0);

  await owner.page.keyboard.press('Escape');
  await uploads.getByRole('link', { name: 'Report.pdf' }).click();
  await owner.page.getByRole('button', { name: 'reader@example.com' }).click();
  await owner.page.getByRole('region', { name: 'Time per page of reader@example.com' }).waitFor();
  step('recorded view to time per page of the reader', (await clicksOn(owner.page)) - 3);
  expect(await clicksOn(owner.page)).toBe(5);
  if (process.env.LATCHKEY_PRINT_TIMES === 'true') {
    for (const [name, clicks, seconds] of steps) {
      process.stdout.write(`${name}: ${clicks} clicks, ${seconds.toFixed(1)} s\n`);
    }
  }
});
