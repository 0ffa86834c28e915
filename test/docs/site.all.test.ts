// The docs site. VitePress itself fails on a broken link. The tests take the pictures of the site.
// They are written to docs/ if LATCHKEY_WRITE_PICTURES is 'true'.
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addressOf, groups, isPage } from '../../docs/.vitepress/pages.ts';
import { sharedBrowser } from '../support/browser.ts';
import { desktop, keepPicture, newReader, overhangOf, phone } from '../support/browser-pages.ts';
import { itHoldsFor } from '../support/rule.ts';
import { type StaticSite, serveFolder } from '../support/static-site.ts';
import { root } from '../tidy/files.ts';

const run = promisify(execFile);
const files = groups.flatMap(({ pages }) => pages.map(({ file }) => file));
let folder: string;
let site: StaticSite;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'latchkey-docs-'));
  await run('npx', ['vitepress', 'build', 'docs', '--outDir', folder], { cwd: root });
  site = await serveFolder(folder);
});

afterAll(async () => {
  await site.close();
  await rm(folder, { recursive: true, force: true });
});

const read = (name: string) => readFile(path.join(folder, name), 'utf8');

test('every Markdown file of docs/ is in the sidebar', () => {
  const names = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' });
  const pages = names.filter((name) => name.endsWith('.md') && !name.startsWith('.vitepress'));
  expect(pages.filter((name) => !isPage(`docs/${name}`))).toEqual([]);
});

test('every page of the sidebar is built, and loads nothing from another origin', async () => {
  for (const file of files) {
    const name = addressOf(file).replace(/\/$/, '/index').slice(1);
    const html = await read(`${name}.html`);
    expect(html.includes('<h1')).toBe(true);
    expect(html.match(/<(?:script|img|link)[^>]*(?:src|href)="(?:https?:)?\/\/[^"]*"/g)).toBeNull();
  }
});

test('llms.txt lists every page, and llms-full.txt has their texts', async () => {
  const [index, full] = await Promise.all([read('llms.txt'), read('llms-full.txt')]);
  const missing = files.filter((file) => !index.includes(`](${addressOf(file)})`));
  expect(missing).toEqual([]);
  const undescribed = index.match(/^- \[[^\]]+\]\((?!\/decisions\/)[^)]+\)$/gm);
  expect(undescribed).toBeNull();
  expect(full.includes('# Rotate secrets without downtime')).toBe(true);
});

test('the search index contains the pages', async () => {
  const assets = readdirSync(path.join(folder, 'assets/chunks'));
  const name = assets.find((asset) => asset.startsWith('@localSearchIndex')) ?? '';
  const index = await read(`assets/chunks/${name}`);
  expect(index.includes('/guides/rotate-without-downtime')).toBe(true);
});

const dark: BrowserContextOptions = { ...desktop, colorScheme: 'dark' };
const pictures: Record<string, { address: string; options: BrowserContextOptions }> = {
  home: { address: '/', options: desktop },
  'home-dark': { address: '/', options: dark },
  'home-phone': { address: '/', options: phone },
  guide: { address: '/guides/rotate-without-downtime', options: desktop },
};

itHoldsFor(Object.entries(pictures), 4)(
  'the page of each picture opens, and nothing is cut off',
  async (name, { address, options }) => {
    const { page, complaints } = await newReader(await sharedBrowser(), site.origin, options);
    await page.goto(`${site.origin}${address}`, { waitUntil: 'networkidle' });
    expect(await overhangOf(page)).toBe(0);
    await keepPicture(page, `docs-${name}`);
    expect(complaints).toEqual([]);
    await page.context().close();
  },
);

test('no page is wider than a phone', async () => {
  const { page } = await newReader(await sharedBrowser(), site.origin, phone);
  const wide: string[] = [];
  for (const { text, pages } of groups) {
    // The decisions have the same elements as the other pages.
    for (const { file } of text === 'Decisions' ? [] : pages) {
      await page.goto(`${site.origin}${addressOf(file)}`);
      if ((await overhangOf(page)) > 0) wide.push(file);
    }
  }
  expect(wide).toEqual([]);
  await page.context().close();
});

test('the search finds a guide, and asks no other origin', async () => {
  const { page, complaints } = await newReader(await sharedBrowser(), site.origin);
  await page.goto(`${site.origin}/`);
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('searchbox').fill('rotate without downtime');
  await page.getByRole('option').first().click();
  await page.waitForURL('**/guides/rotate-without-downtime*');
  expect(complaints).toEqual([]);
  await page.context().close();
});
