import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Reads the version from package.json, which is in a parent folder of both the sources and the
 * built program.
 */
export function readVersion(): string {
  let folder = import.meta.dirname;
  while (!existsSync(path.join(folder, 'package.json'))) folder = path.dirname(folder);
  const { version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  return String(version);
}
