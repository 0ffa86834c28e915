// A browser frees the memory of closed previews.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { documentTab } from '../support/console-menus.ts';
import { useConsole } from '../support/console-suite.ts';
import { makeReport } from '../support/report-pdf.ts';
import { upload } from '../support/sharing-api.ts';

const { app, workspaceId, visitAs, member } = useConsole();

async function countsOf(page: Page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable');
  // A first collection may leave what the finalizers of others hold.
  for (let i = 0; i < 3; i++) await devtools.send('HeapProfiler.collectGarbage');
  const { metrics } = await devtools.send('Performance.getMetrics');
  const nodes = metrics.find(({ name }) => name === 'Nodes')?.value ?? Number.NaN;
  const fonts = await page.evaluate<number>('document.fonts.size');
  await devtools.detach();
  return { nodes, fonts, workers: page.workers().length };
}

it('closed previews leave no nodes, fonts and workers behind', async () => {
  await upload(app(), makeReport(), 'Report.pdf');
  const { page, open } = await visitAs(await member('member'));
  await open(`/workspaces/${workspaceId()}/documents`);
  const row = page.getByRole('link', { name: 'Report.pdf' });
  async function preview() {
    await row.click();
    await documentTab(page, 'Preview').click();
    await page.getByText('Quarterly report', { exact: true }).first().waitFor();
    await page.goBack();
    await page.goBack();
    await row.waitFor();
  }
  for (let i = 0; i < 3; i++) await preview();
  const before = await countsOf(page);

  for (let i = 0; i < 9; i++) await preview();

  const after = await countsOf(page);
  expect(after.fonts).toBe(before.fonts);
  expect(after.workers).toBe(0);
  expect(after.nodes).toBeLessThan(before.nodes + 50);
});
