// The file names of the built browser code, from Vite's manifest.
import { readFile } from 'node:fs/promises';
import path from 'node:path';

export type AssetEntry = {
  readonly file: string;
  readonly styles: readonly string[];
  readonly imports: readonly string[];
};

export type Assets = {
  entry(source: string): AssetEntry;
  addressOf(source: string): string;
};

type Chunk = {
  readonly file: string;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
};

/** Reads the manifest in `webDir`. Throws if the browser code was not built. */
export async function readAssets(webDir: string): Promise<Assets> {
  const file = path.join(webDir, '.vite/manifest.json');
  const manifest: Record<string, Chunk> = JSON.parse(await readFile(file, 'utf8'));

  function chunk(source: string): Chunk {
    const found = manifest[source];
    if (found === undefined) throw new Error(`${file} has no entry ${source}`);
    return found;
  }

  function withImports(source: string, seen = new Set<string>()): ReadonlySet<string> {
    if (seen.has(source)) return seen;
    seen.add(source);
    for (const imported of chunk(source).imports ?? []) withImports(imported, seen);
    return seen;
  }

  const addressOf = (source: string) => `/${chunk(source).file}`;
  return {
    addressOf,
    entry(source) {
      const all = [...withImports(source)];
      const styles = new Set(all.flatMap((name) => chunk(name).css ?? []));
      return {
        file: addressOf(source),
        styles: [...styles].map((style) => `/${style}`),
        imports: all.slice(1).map(addressOf),
      };
    },
  };
}
