// The size of the first load, and its origins.
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { useConsole } from '../support/console-suite.ts';

const { workspaceId, visit, visitAs, member } = useConsole();
const web = path.resolve(import.meta.dirname, '../../dist/web');

/** Counts the files that a browser loads from `/assets`, and their bytes with Brotli. */
async function assetsOf(requests: readonly string[]) {
  const files = requests.flatMap((one) => /^GET (\/assets\/.*)$/.exec(one)?.[1] ?? []);
  const sizes = await Promise.all(files.map((file) => brotliBytes(path.join(web, file))));
  return { files: files.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

/** Small files have no compressed copy. */
async function brotliBytes(file: string): Promise<number> {
  const { size } = await stat(`${file}.br`).catch(() => stat(file));
  return size;
}

it('the first load is small, and sends no request to another origin', async () => {
  const stranger = await visit();
  await stranger.open('/');
  await stranger.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  await stranger.page.waitForLoadState('networkidle');
  const user = await visitAs(await member('owner'));
  await user.open(`/workspaces/${workspaceId()}/documents`);
  await user.page.getByRole('heading', { level: 1, name: 'Documents' }).waitFor();
  await user.page.waitForLoadState('networkidle');

  const signIn = await assetsOf(stranger.requests);
  expect(signIn.files).toBeLessThanOrEqual(8);
  expect(signIn.bytes).toBeGreaterThan(100_000);
  expect(signIn.bytes).toBeLessThanOrEqual(180_000);
  const documents = await assetsOf(user.requests);
  expect(documents.files).toBeLessThanOrEqual(16);
  expect(documents.bytes).toBeGreaterThan(signIn.bytes);
  expect(documents.bytes).toBeLessThanOrEqual(300_000);

  await user.open('/');
  await user.page.waitForLoadState('networkidle');
  const own = /^(GET \/(console|assets\/)|POST \/latchkey\.)/;
  const requests = [...stranger.requests, ...user.requests];
  expect(requests.length).toBeGreaterThan(3);
  expect(requests.filter((request) => !own.test(request))).toEqual([]);
  expect([...stranger.complaints, ...user.complaints]).toEqual([]);
});
