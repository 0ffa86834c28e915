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
