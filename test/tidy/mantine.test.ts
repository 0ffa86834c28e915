// The console loads the styles of the components that it uses, and of no others.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const folder = path.join(root, 'web/console');
const mantine = path.join(root, 'node_modules/@mantine/core');

const read = (...names: string[]) => readFileSync(path.join(...names), 'utf8');
const filesOf = (folder: string, end: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(end));

/** The components that the console names itself. */
function usedByConsole(): string[] {
  const texts = filesOf(folder, '.tsx').map((file) => read(folder, file));
  const lists = texts.flatMap((text) => [
    ...text.matchAll(/import \{([^}]*)\} from '@mantine\/core'/g),
  ]);
  const names = lists.flatMap(([, list = '']) => list.split(',').map((name) => name.trim()));
  return [...new Set(names)].filter((name) => existsSync(folderOf(name)));
}

const folderOf = (component: string) => path.join(mantine, 'esm/components', component);

/** What a component is made of: Mantine's own modules say it. */
function partsOf(component: string): string[] {
  const texts = filesOf(folderOf(component), '.mjs').map((file) => read(folderOf(component), file));
  const imports = texts.flatMap((text) => [...text.matchAll(/from "(?:\.\.\/)+(\w+)\//g)]);
  return imports.map(([, name = '']) => name).filter((name) => existsSync(folderOf(name)));
}

function withParts(components: readonly string[], seen = new Set<string>()): Set<string> {
  for (const component of components) {
    if (seen.has(component)) continue;
    seen.add(component);
    withParts(partsOf(component), seen);
  }
  return seen;
}

test('the styles of every component that the console uses are loaded, and no others', () => {
  const sheet = read(folder, 'mantine.css');
  const loaded = [...sheet.matchAll(/styles\/([A-Z]\w+)\.css/g)].map(([, name]) => name);
  const needed = [...withParts(usedByConsole())].filter((name) =>
    existsSync(path.join(mantine, 'styles', `${name}.css`)),
  );
  expect(needed).toContain('Button');
  expect(loaded.toSorted()).toEqual(needed.toSorted());
});
