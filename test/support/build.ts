// Builds the program and the browser code, unless the last build is newer than every source.
import { execFile } from 'node:child_process';
import { readdir, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const root = path.resolve(import.meta.dirname, '../..');
/** Its time is when the last complete build started. */
const stamp = path.join(root, 'dist/build-start');

const sources = ['src', 'gen', 'web', 'package-lock.json', 'vite.config.ts'];
const settings = ['tsconfig.json', 'tsconfig.build.json', 'web/tsconfig.json'];

export async function buildIfStale(): Promise<void> {
  const startTime = new Date();
  const built = await stat(stamp).catch(() => undefined);
  if (built !== undefined && (await newestTime([...sources, ...settings])) < built.mtimeMs) return;
  await promisify(execFile)('npm', ['run', 'build'], { cwd: root });
  await writeFile(stamp, '');
  await utimes(stamp, startTime, startTime);
}

/** In milliseconds since 1970. A removed file changes the time of its folder. */
async function newestTime(names: readonly string[]): Promise<number> {
  const paths: string[] = [];
  for (const name of names.map((one) => path.join(root, one))) {
    paths.push(name);
    if (!(await stat(name)).isDirectory()) continue;
    for (const inside of await readdir(name, { recursive: true })) {
      paths.push(path.join(name, inside));
    }
  }
  const times = await Promise.all(paths.map(async (one) => (await stat(one)).mtimeMs));
  return Math.max(...times);
}
