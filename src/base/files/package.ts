import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

export function readVersion(): string {
  const text = readFileSync(path.join(packageFolder(), 'package.json'), 'utf8');
  const { version }: { version: unknown } = JSON.parse(text);
  return String(version);
}

/** The folder of package.json: a parent folder of both the sources and the built program. */
export function packageFolder(): string {
  let folder = import.meta.dirname;
  while (!existsSync(path.join(folder, 'package.json'))) folder = path.dirname(folder);
  return folder;
}
