// Reads the imports of a source file from its text. Biome keeps all imports in one form.
import path from 'node:path';

export type Import = {
  readonly from: string;
  /** A path relative to the root of the project, or a package's name. */
  readonly to: string;
  /** Whether only types are imported, which do not exist at run time. */
  readonly isType: boolean;
  /** The imported names, except those of types. */
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
  // Generated code is imported by its compiled name.
  return target.startsWith('gen/') ? target.replace(/\.js$/, '.ts') : target;
}
