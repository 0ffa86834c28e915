// What a source imports, read from its text: all of ours are written one way, which Biome keeps up.
import path from 'node:path';

export type Import = {
  readonly from: string;
  /** A path from the root of the project, or a package's name. */
  readonly to: string;
  /** Whether only types are imported: nothing of it is left at run time. */
  readonly isType: boolean;
  /** The names of what is imported, without those of types. */
  readonly names: readonly string[];
};

const statement =
  /^(?:import|export)\s+(type\s+)?(?:([\w*{][^;'"]*?)\s+from\s+)?['"]([^'"]+)['"]/gm;
const dynamic = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;

export function importsOf(file: string, text: string): Import[] {
  const found: Import[] = [];
  for (const [, type, clause = '', specifier = ''] of text.matchAll(statement)) {
    const members = /\{([^}]*)\}/.exec(clause)?.[1]?.split(',') ?? [];
    const all = members.map((one) => one.trim()).filter((one) => one !== '');
    const names = all
      .filter((one) => !one.startsWith('type '))
      .map((one) => one.split(' ')[0] ?? '');
    const hasOthers = /^(\w|\*)/.test(clause);
    const isType = type !== undefined || (all.length > 0 && names.length === 0 && !hasOthers);
    found.push({ from: file, to: resolve(file, specifier), isType, names });
  }
  for (const [, specifier = ''] of text.matchAll(dynamic)) {
    found.push({ from: file, to: resolve(file, specifier), isType: false, names: [] });
  }
  return found;
}

function resolve(file: string, specifier: string): string {
  if (!specifier.startsWith('.')) return specifier;
  const target = path.join(path.dirname(file), specifier);
  // Generated code is imported by the name that it has once compiled.
  return target.startsWith('gen/') ? target.replace(/\.js$/, '.ts') : target;
}
