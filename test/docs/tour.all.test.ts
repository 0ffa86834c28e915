import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/harness.ts';
import { walkThrough } from '../support/walkthrough.ts';

let test: TestApp;
let folder: string;
let slept: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'latchkey-tour-'));
  slept = path.join(folder, 'slept');
  await writeFile(slept, '0');
  // The clock of the service jumps where the tour sleeps.
  const now = () => Date.now() + 1000 * Number(readFileSync(slept, 'utf8'));
  test = await startTestApp({ now });
});
afterAll(async () => {
  await test.remove();
  await rm(folder, { recursive: true });
});

it('every command of the tour works and shows the answer of the tour', async () => {
  const sleep = `() { printf %s "$1" > '${slept}'; }`;
  const env = { 'BASH_FUNC_sleep%%': sleep };
  await walkThrough({ document: 'docs/tour.md', dataDir: test.dataDir, env });
}, 120_000);
