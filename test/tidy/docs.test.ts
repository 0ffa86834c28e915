// Links in the documentation point to existing files and headings.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { itHoldsFor } from '../support/rule.ts';

const root = path.resolve(import.meta.dirname, '../..');

const documents = ['.', 'docs', 'bench', 'deploy', 'clients'].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: folder !== '.', encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules/'))
    .map((name) => path.join(folder, name)),
);

const withoutCode = (text: string) =>
  text
    .replace(/^```[\s\S]*?^```/gm, '')
    .replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]]/g, ''));

const read = (file: string) => withoutCode(readFileSync(path.join(root, file), 'utf8'));

/** The names by which GitHub links to the headings of a document. */
function anchorsOf(file: string): Set<string> {
  const headings = [...read(file).matchAll(/^#{1,6} (.+)$/gm)];
  const names = headings.map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set(names);
}

/** The relative targets of links and images, such as `../README.md#settings`. */
function targetsOf(file: string): string[] {
  return [...read(file).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

function isFound(file: string, target: string): boolean {
  const [name = '', anchor] = target.split('#');
  const found = name === '' ? file : path.join(path.dirname(file), name);
  if (!existsSync(path.join(root, found))) return false;
  return anchor === undefined || anchorsOf(found).has(anchor);
}

itHoldsFor(documents, 50)(
  'every link of a document leads to a file and a heading that exist',
  (file) => {
    expect(targetsOf(file).filter((target) => !isFound(file, target))).toEqual([]);
  },
);

/** Paths of the repository that a document names in code, such as `src/boot/app.ts`. */
function namedPaths(file: string): string[] {
  const text = readFileSync(path.join(root, file), 'utf8');
  const paths = /`((?:src|web|test|proto|gen|docs|bench|scripts)\/[\w./-]*)`/g;
  return [...text.matchAll(paths)].map(([, name = '']) => name);
}

itHoldsFor(['CONTRIBUTING.md', 'docs/architecture.md', 'docs/api.md'], 3)(
  'every path of the repository that a document names exists',
  (file) => {
    expect(namedPaths(file).length).toBeGreaterThan(0);
    expect(namedPaths(file).filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
  },
);
