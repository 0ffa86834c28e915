import path from 'node:path';
import { expect, test } from 'vitest';
import { readText } from './files.ts';

const text = readText('package-lock.json');

test('the lock file names no registry', () => {
  expect(text.match(/"resolved": "(?!(?:clients|node_modules|test)\/)[^"]*"/g) ?? []).toEqual([]);
});

// npm install removes this line. Without it, npm ci needs Python and a compiler on every Node.
test('npm does not compile better-sqlite3 13, which contains its binaries', () => {
  const { packages } = JSON.parse(text);
  expect(packages['node_modules/better-sqlite3']).toMatchObject({ gypfile: false });
});

// npm install omits the packages of other platforms that the registry does not have, and npm ci
// fails without them.
test('the lock file has the optional packages of every platform', () => {
  const packages: Record<string, { optionalDependencies?: Record<string, string> }> =
    JSON.parse(text).packages;
  const missing = Object.entries(packages).flatMap(([folder, { optionalDependencies }]) =>
    Object.keys(optionalDependencies ?? {})
      .filter((name) => ![folder, ''].some((at) => path.join(at, 'node_modules', name) in packages))
      .map((name) => `${name} of ${folder}`),
  );
  expect(missing).toEqual([]);
});
