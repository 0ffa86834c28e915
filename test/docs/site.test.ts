// The docs site. VitePress itself fails on a broken link.
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addressOf, groups, isPage } from '../../docs/.vitepress/pages.ts';
import { root } from '../tidy/files.ts';

const run = promisify(execFile);
const files = groups.flatMap(({ pages }) => pages.map(({ file }) => file));
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'latchkey-docs-'));
  await run('npx', ['vitepress', 'build', 'docs', '--outDir', folder], { cwd: root });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

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
  expect(full.includes('# Rotate secrets without downtime')).toBe(true);
});

test('the search index contains the pages', async () => {
  const assets = readdirSync(path.join(folder, 'assets/chunks'));
  const name = assets.find((asset) => asset.startsWith('@localSearchIndex')) ?? '';
  const index = await read(`assets/chunks/${name}`);
  expect(index.includes('/guides/rotate-without-downtime')).toBe(true);
});
