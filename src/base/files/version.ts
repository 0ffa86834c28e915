import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageFolder } from './package-folder.ts';

export function readVersion(): string {
  const text = readFileSync(path.join(packageFolder(), 'package.json'), 'utf8');
  const { version }: { version: unknown } = JSON.parse(text);
  return String(version);
}
