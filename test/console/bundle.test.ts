// The size of the first load, and its origins.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { useConsole } from '../support/console-suite.ts';

const { visit, visitAs, member } = useConsole();
const web = path.resolve(import.meta.dirname, '../../dist/web');

async function gzipBytes(requests: readonly string[]): Promise<number> {
  const files = requests.flatMap((one) => /^GET (\/assets\/.*)$/.exec(one)?.[1] ?? []);
  const contents = await Promise.all(files.map((file) => readFile(path.join(web, file))));
  return contents.reduce((sum, content) => sum + gzipSync(content).byteLength, 0);
}

it('the first load takes at most 300 kB, signed in or not', async () => {
  const stranger = await visit();
  await stranger.open('/');
  await stranger.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  await stranger.page.waitForLoadState('networkidle');
  const user = await visitAs(await member('owner'));
  await user.open('/');
  await user.page.getByRole('heading', { level: 1, name: 'Documents' }).waitFor();
  await user.page.waitForLoadState('networkidle');

  for (const { requests } of [stranger, user]) {
    const bytes = await gzipBytes(requests);
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThanOrEqual(300_000);
  }
});

it('no screen sends requests to another origin', async () => {
  const { page, open, requests, complaints } = await visitAs(await member('owner'));
  await open('/');
  await page.waitForLoadState('networkidle');
  const own = /^(GET \/(console|assets\/)|POST \/latchkey\.)/;
  expect(requests.length).toBeGreaterThan(3);
  expect(requests.filter((request) => !own.test(request))).toEqual([]);
  expect(complaints).toEqual([]);
});
