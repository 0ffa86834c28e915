// The files of the project, by their paths relative to the root.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '../..');

/** The files of a folder whose names end in one of `ends`, sorted by name, without packages. */
export function listFiles(folder: string, ...ends: string[]): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ends.some((end) => name.endsWith(end)) && !name.includes('node_modules/'))
    .map((name) => `${folder}/${name}`)
    .sort();
}

export const readText = (file: string) => readFileSync(path.join(root, file), 'utf8');
