// The service starts with only the files that deploy/Containerfile copies into the image.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { parseEnv } from '../support/harness.ts';
import { spawnProgram } from '../support/program.ts';
import { readText, root } from '../tidy/files.ts';

const run = promisify(execFile);

type Package = { readonly [K in 'dev' | 'optional' | 'devOptional']?: boolean };

const containerfile = readText('deploy/Containerfile');

const matchesOf = (pattern: RegExp) =>
  [...containerfile.matchAll(pattern)].map(([, text = '']) => text);

/** The folders of the packages that stay after the commands of the Containerfile. */
function remainingPackages(): string[] {
  const lock: { packages: Record<string, Package> } = JSON.parse(readText('package-lock.json'));
  const omitted = matchesOf(/--omit=(\w+)/g);
  const omits = (kind: string) => omitted.includes(kind);
  // This test may run on Node 20, the image has a newer one.
  const removed = matchesOf(/(?<=rm -rf .*)(node_modules\S+)/g).filter(
    (one) => !one.endsWith('-node20'),
  );
  return Object.entries(lock.packages).flatMap(([folder, { dev, optional, devOptional }]) => {
    const isOmitted =
      (dev === true && omits('dev')) ||
      (optional === true && omits('optional')) ||
      (devOptional === true && omits('dev') && omits('optional'));
    const isRemoved = removed.some((one) => `${folder}/`.startsWith(`${one}/`));
    return folder === '' || isOmitted || isRemoved || !existsSync(path.join(root, folder))
      ? []
      : [folder];
  });
}

/** A folder with hard links to the files of the image; removed when the test ends. */
async function imageFolder(): Promise<string> {
  // In the project, Node would find missing packages in a parent folder.
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-image-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const copied = matchesOf(/COPY --from=build \/build\/(\S+)/g);
  const others = copied.filter((name) => name !== 'node_modules');
  const words = ['--parents', ...remainingPackages(), ...others, folder];
  const copy = (mode: string) => run('cp', [mode, ...words], { cwd: root });
  // Hard links are not possible between file systems.
  await copy('-al').catch(() => copy('-a'));
  return folder;
}

test('the image has every package that the service needs to start and to hash', async () => {
  const folder = await imageFolder();
  const file = path.join(folder, 'dist/src/main.js');

  const env = { LATCHKEY_BOOTSTRAP: 'demo', NODE_ENV: 'production' };
  const program = await spawnProgram(env, undefined, undefined, [], file);
  onTestFinished(() => program.remove());
  const output = () => [program.child.exitCode, program.stderr()].join(' ');
  await expect.poll(output).toMatch(/operations|^\d/);
  expect(program.stderr()).toContain('operations');

  // The first start has hashed the password of the staff user.
  const text = await readFile(path.join(program.dataDir, 'bootstrap.env'), 'utf8');
  const readyz = await fetch(`${parseEnv(text).LATCHKEY_OPS_URL}/readyz`);
  expect(readyz.status).toBe(200);
  expect(program.stderr()).not.toMatch(/warn/i);
});
