// The packages that the released files load or contain.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Bom } from './bom.ts';
import {
  type Lock,
  type Manifest,
  readLock,
  readManifest,
  readText,
  readWorkspaces,
} from './project.ts';

/**
 * Removes the packages that only build and test. The rest is what the service, the client packages
 * and the browser code import, with the dependencies of these packages.
 */
export function keepShipped(root: string, bom: Bom): Bom {
  const lock = readLock(root);
  const manifest = readManifest(root);
  const workspaces = readWorkspaces(root).map((one) => one.manifest);
  const own = new Set([manifest, ...workspaces].map(({ name, version }) => `${name}@${version}`));
  const bundled = bundledInto(root).filter((name) => name in (manifest.devDependencies ?? {}));
  const names = [...bundled, ...[manifest, ...workspaces].flatMap(loadedBy)];
  const direct = names.flatMap((name) => refOf(lock, name));
  const kept = closureOf(bom, new Set(direct));
  for (const ref of own) kept.add(ref);
  return {
    ...bom,
    components: bom.components.filter((one) => kept.has(one['bom-ref'])),
    dependencies: bom.dependencies
      .filter(({ ref }) => kept.has(ref))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((r) => kept.has(r)) })),
  };
}

const loadedBy = ({ dependencies = {}, optionalDependencies = {} }: Manifest) => [
  ...Object.keys(dependencies),
  ...Object.keys(optionalDependencies),
];

/** The lock file has the real name of a package that package.json names differently. */
function refOf(lock: Lock, name: string): string[] {
  const entry = lock.packages[`node_modules/${name}`];
  return entry === undefined ? [] : [`${entry.name ?? name}@${entry.version}`];
}

function closureOf(bom: Bom, refs: Set<string>): Set<string> {
  const needed = new Map(bom.dependencies.map(({ ref, dependsOn = [] }) => [ref, dependsOn]));
  // A set iterates over the elements that are added meanwhile.
  for (const ref of refs) for (const next of needed.get(ref) ?? []) refs.add(next);
  return refs;
}

/**
 * The packages that the files in `web` import, and those whose files vite.config.ts copies. Their
 * code is in `dist/web`.
 */
function bundledInto(root: string): string[] {
  const folder = path.join(root, 'web');
  const specifiers = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(tsx?|css)$/.test(name) && !name.includes('node_modules'))
    .map((name) => readFileSync(path.join(folder, name), 'utf8'))
    .flatMap((text) => [...text.matchAll(/(?:\bfrom|\bimport\(?|@import)\s*['"]([^'"]+)/g)]);
  const copied = (readText(root, 'vite.config.ts') ?? '').matchAll(/node_modules\/([@\w./-]+)/g);
  return [...new Set([...specifiers, ...copied].map(([, name = '']) => packageOf(name)))];
}

const packageOf = (specifier: string) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
