// Runs the build script in a small project whose bundler only records its arguments.
import { execFile } from 'node:child_process';
import { appendFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const script = path.resolve(import.meta.dirname, '../../scripts/build.mjs');

async function newProject() {
  const root = await mkdtemp(path.join(tmpdir(), 'latchkey-test-'));
  onTestFinished(() => rm(root, { recursive: true }));
  const notes = path.join(root, 'notes');
  await writeFile(notes, '');
  const bin = path.join(root, 'node_modules/.bin');
  const built = ['dist', 'node_modules/.bin'];
  const clients = ['clients/cli/src', 'clients/client/src'];
  for (const folder of ['src', 'gen', 'web', 'docs', 'scripts/openapi', ...clients, ...built]) {
    await mkdir(path.join(root, folder), { recursive: true });
  }
  for (const name of ['package.json', 'package-lock.json', 'docs/sample.pdf', 'src/a.ts']) {
    await writeFile(path.join(root, name), 'x');
  }
  for (const name of ['tsconfig.json', 'vite.config.ts', 'vite.server.config.ts']) {
    await writeFile(path.join(root, name), 'x');
  }
  async function setTool(name: string, status: number): Promise<void> {
    const text = `#!/bin/sh\necho ${name} "$@" >> '${notes}'\nexit ${status}\n`;
    await writeFile(path.join(bin, name), text, { mode: 0o755 });
  }
  await setTool('vite', 0);
  await cp(script, path.join(root, 'scripts/build.mjs'));
  /** Runs the script and returns the tools that it ran. */
  async function build(...words: string[]): Promise<string[]> {
    await writeFile(notes, '');
    const main = path.join(root, 'scripts/build.mjs');
    await promisify(execFile)(process.execPath, [main, ...words]);
    return (await readFile(notes, 'utf8')).split('\n').filter((line) => line !== '');
  }
  return { root, build, setTool };
}

const both = [
  'vite build --logLevel warn --config vite.server.config.ts',
  'vite build --logLevel warn',
];

test('a start builds missing and changed outputs', async () => {
  const { root, build } = await newProject();
  expect(await build('--if-changed')).toEqual(both);
  expect(await build('--if-changed')).toEqual([]);

  for (const file of ['src/a.ts', 'package-lock.json', 'docs/sample.pdf']) {
    await appendFile(path.join(root, file), '1');
    expect(await build('--if-changed'), file).toEqual(both);
  }
  await writeFile(path.join(root, 'web/new.css'), '');
  expect(await build('--if-changed')).toEqual(both);
  await rm(path.join(root, 'src/a.ts'));
  expect(await build('--if-changed')).toEqual(both);
  expect(await build('--if-changed')).toEqual([]);

  await rm(path.join(root, 'dist'), { recursive: true });
  await mkdir(path.join(root, 'dist'));
  expect(await build('--if-changed')).toEqual(both);
});

test('npm run build always builds, and a start after it does not', async () => {
  const { root, build } = await newProject();
  expect(await build()).toEqual(both);
  expect(await build()).toEqual(both);
  expect(await build('--if-changed')).toEqual([]);
  expect(await readFile(path.join(root, 'dist/sample.pdf'), 'utf8')).toBe('x');
});

test('the next start repeats a failed build', async () => {
  const { build, setTool } = await newProject();
  await build();
  await setTool('vite', 1);
  await expect(build()).rejects.toThrow();
  await setTool('vite', 0);
  expect(await build('--if-changed')).toEqual(both);
});
