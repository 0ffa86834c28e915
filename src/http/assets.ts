// The built browser code: what its files are called, from Vite's manifest.
import { readFile } from 'node:fs/promises';
import path from 'node:path';

export type Assets = {
  /** The address of a built entry, by the path of its source. */
  addressOf(source: string): string;
};

/** Reads the manifest in `webDir`. Throws where the browser code was not built. */
export async function readAssets(webDir: string): Promise<Assets> {
  const file = path.join(webDir, '.vite/manifest.json');
  const manifest: Record<string, { file: string }> = JSON.parse(await readFile(file, 'utf8'));
  return {
    addressOf(source) {
      const entry = manifest[source];
      if (entry === undefined) throw new Error(`${file} has no entry ${source}`);
      return `/${entry.file}`;
    },
  };
}
