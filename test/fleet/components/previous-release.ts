// The program of the previous release, built from the history of this repository.
import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../../..');

/** The first file of the present schema. */
const firstFile = 'src/storage/migrations/0002-scale-out.ts';

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim();
}

/** Returns the last commit before the present schema; undefined if the history lacks it. */
export function previousCommit(): string | undefined {
  try {
    const added = git('log', '--diff-filter=A', '--format=%H', '--', firstFile).split('\n').at(-1);
    return git('rev-parse', '--verify', `${added}^`);
  } catch {
    return undefined;
  }
}

/** Builds the program in a new folder and resolves to its main file. */
export async function buildPrevious(commit: string): Promise<{ folder: string; program: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-previous-'));
  await run('sh', ['-c', `git archive ${commit} | tar -x -C ${folder}`], { cwd: root });
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  await run('node_modules/.bin/tsc', ['-p', 'tsconfig.build.json'], { cwd: folder });
  // The load opens no browser page, so the present ones do.
  await mkdir(path.join(folder, 'dist'), { recursive: true });
  await symlink(path.join(root, 'dist/web'), path.join(folder, 'dist/web'));
  await linkSqlite(folder);
  await cp(path.join(folder, 'docs/sample.pdf'), path.join(folder, 'dist/sample.pdf'));
  return { folder, program: path.join(folder, 'dist/src/main.js') };
}

/** Version 0.1 has one name for SQLite. On Node 20, the present one is installed as another. */
async function linkSqlite(folder: string): Promise<void> {
  const modules = path.join(root, 'node_modules');
  if (existsSync(path.join(modules, 'better-sqlite3'))) return;
  await mkdir(path.join(folder, 'dist/node_modules'));
  const target = path.join(folder, 'dist/node_modules/better-sqlite3');
  await symlink(path.join(modules, 'better-sqlite3-node20'), target);
}
