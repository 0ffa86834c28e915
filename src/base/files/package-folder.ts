import { existsSync } from 'node:fs';
import path from 'node:path';

/** The folder of package.json: a parent folder of both the sources and the built program. */
export function packageFolder(): string {
  let folder = import.meta.dirname;
  while (!existsSync(path.join(folder, 'package.json'))) folder = path.dirname(folder);
  return folder;
}
