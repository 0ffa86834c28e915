// The console loads exactly the styles of the Mantine components that it uses.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const folder = path.join(root, 'web/console');
const mantine = path.join(root, 'node_modules/@mantine/core');

const read = (...names: string[]) => readFileSync(path.join(...names), 'utf8');

const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
const texts = files.filter((name) => name.endsWith('.tsx')).map((name) => read(folder, name));

/** The modules of the components that the console imports. */
function usedByConsole(): string[] {
  const lists = texts.flatMap((text) => [
    ...text.matchAll(/import \{([^}]*)\} from '@mantine\/core'/g),
  ]);
  const names = lists.flatMap(([, list = '']) => list.split(',').map((name) => name.trim()));
  const modules = names.map((name) => path.join(mantine, `esm/components/${name}/${name}.mjs`));
  return [...new Set(modules)].filter((module) => existsSync(module));
}

/** Whether a part, such as `Checkbox.Card`, is one that the console does not use. */
function isUnusedPart(module: string, part: string): boolean {
  const [whole, name] = [path.basename(module, '.mjs'), path.basename(part, '.mjs')];
  const member = `${whole}.${name.slice(whole.length)}`;
  const code = read(module).replace(/^import .*$/gm, '');
  const others = code.replace(`${member} = ${name};`, '');
  const isOnlyMember = others !== code && !new RegExp(`\\b${name}\\b`).test(others);
  return isOnlyMember && !texts.some((text) => text.includes(member));
}

/** The modules and their transitive imports within Mantine. */
function withImports(modules: readonly string[], seen = new Set<string>()): Set<string> {
  for (const module of modules) {
    if (seen.has(module)) continue;
    seen.add(module);
    const imports = [...read(module).matchAll(/from "(\.[^"]+)"/g)];
    const paths = imports.map(([, name = '']) => path.join(path.dirname(module), name));
    withImports(
      paths.filter((part) => !isUnusedPart(module, part)),
      seen,
    );
  }
  return seen;
}

test('the console loads exactly the styles of the components that it uses', () => {
  // Mantine's class names are in modules with the same name as the style sheet.
  const classes = [...withImports(usedByConsole())]
    .map((module) => /(\w+)\.module\.mjs$/.exec(module)?.[1] ?? '')
    .filter((name) => existsSync(path.join(mantine, 'styles', `${name}.css`)));
  const loaded = [...read(folder, 'mantine.css').matchAll(/styles\/([A-Z]\w+)\.css/g)];

  expect(classes).toContain('Button');
  expect(loaded.map(([, name]) => name).toSorted()).toEqual([...new Set(classes)].toSorted());
});
