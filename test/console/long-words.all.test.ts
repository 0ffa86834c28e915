// Long names without spaces, and right-to-left names.
import { beforeAll, expect, it } from 'vitest';
import { overhangOf, settle } from '../support/browser-pages.ts';
import { chooseRowAction } from '../support/console-menus.ts';
import { useConsole } from '../support/console-suite.ts';
import { makePdf } from '../support/pdf.ts';
import { makeLink, upload } from '../support/sharing-api.ts';
import { addUser } from '../support/user-rows.ts';

const { app, workspaceId, visitAs, staff, member } = useConsole();

const long = 'Constellation'.repeat(15);
const paths: string[] = [];

beforeAll(async () => {
  const document = await upload(app(), makePdf({ pages: 1, text: 'Terms' }), `${long}.pdf`);
  const link = await makeLink(app(), document.id, { name: long });
  const user = await addUser(app().app.inside.db, {
    kind: 'member',
    name: long,
    email: `${'someone'.repeat(9)}@${'harbour-master.'.repeat(10)}example.com`,
  });
  await member('member', workspaceId(), { name: long });
  const at = `/workspaces/${workspaceId()}`;
  paths.push(`${at}/documents`, `${at}/documents/${document.id}`, `${at}/links`, `${at}/members`);
  for (const tab of ['readers', 'links', 'versions', 'preview', 'details']) {
    paths.push(`${at}/documents/${document.id}/${tab}`);
  }
  paths.push(`${at}/links/${link.id}`, '/users?kind=member', `/users/${user.id}`);
  paths.push(`/audit?target=${link.id}`);
});

it('long names fit on every screen, in windows of any width', async () => {
  const { page, open } = await visitAs(await staff());
  for (const path of paths) {
    await open(path);
    for (const width of [320, 800, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      // A resized page moves its content in a transition.
      await expect.poll(() => overhangOf(page), { message: `${path} ${width} wide` }).toBe(0);
    }
  }

  // They neither break other words nor move the buttons of a dialog.
  await open(`/workspaces/${workspaceId()}/documents`);
  await page.getByRole('cell').first().waitFor();
  const broken = await page.evaluate<string[]>(`(() => {
    const linesOf = (cell) => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
    };
    const cells = 'td:not(:first-child)';
    return [...document.querySelectorAll(cells + ', ' + cells + ' *')]
      .filter(({ children }) => children.length === 0)
      .filter((cell) => !/\\s/.test(cell.textContent) && linesOf(cell) > 1)
      .map(({ textContent }) => textContent);
  })()`);
  expect(broken).toEqual([]);
  await chooseRowAction(page, 'Delete');
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  await settle(page);
  const box = await dialog.boundingBox();
  const close = await dialog.getByRole('button', { name: 'Close' }).boundingBox();
  expect(close?.x).toBeGreaterThan(box?.x ?? 0);
  expect(close?.x).toBeLessThan((box?.x ?? 0) + (box?.width ?? 0));
  expect(await overhangOf(page, '[role=dialog]')).toBe(0);

  // In the audit log, a long name does not hide the words after it.
  await open(paths.at(-1) ?? '');
  await page.getByRole('cell', { name: ` of “${long}.pdf”` }).waitFor();
  const [words, right] = await page.evaluate<[number, number]>(`(() => {
    const cell = document.querySelector('td');
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (texts.nextNode().textContent !== ' of ');
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    return [range, cell].map((one) => one.getBoundingClientRect().right);
  })()`);
  expect(words).toBeLessThan(right);
});

it('a right-to-left name does not reorder its sentence', async () => {
  const { page, open } = await visitAs(await staff());
  const name = 'דוח (2';
  const { id } = await addUser(app().app.inside.db, { kind: 'member', name });
  await open(`/users/${id}`);
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await chooseRowAction(page, 'Disable', name);
  const title = page.getByRole('dialog', { name: `Disable ${name}?` }).getByRole('heading');
  await title.waitFor();
  await settle(page);
  expect(await title.locator('bdi').textContent()).toBe(name);
  const order = await page.evaluate<number[]>(`(() => {
    const parts = [...document.querySelectorAll('[role=dialog] h2 bdi')].flatMap((bdi) => [
      bdi.previousSibling,
      bdi,
      bdi.nextSibling,
    ]);
    return parts.map((part) => {
      const range = document.createRange();
      range.selectNodeContents(part);
      return range.getBoundingClientRect().left;
    });
  })()`);
  expect(order).toHaveLength(3);
  expect(order).toEqual([...order].sort((one, two) => one - two));
});
