import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { spawnProgram } from '../support/program.ts';
import { walkThrough } from '../support/walkthrough.ts';

const readme = await readFile(path.resolve(import.meta.dirname, '../../README.md'), 'utf8');

const withoutPorts = (text: string) => text.replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:<port>');

it('the first start prints the lines of the README, and its commands work', async () => {
  const program = await spawnProgram({ LATCHKEY_DATA_DIR: './data' });
  onTestFinished(() => program.remove());
  const [, announcement = ''] = /```text\n([\s\S]*?)```/.exec(readme) ?? [];
  expect(announcement).not.toBe('');

  await expect
    .poll(() => withoutPorts(program.stderr()), { timeout: 60_000 })
    .toBe(withoutPorts(announcement));

  await walkThrough({ document: 'README.md', dataDir: path.join(program.dataDir, 'data') });
}, 120_000);

it('the README has at most 130 lines', () => {
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(130);
});
