// Runs a command with another version of Node, from the npm package with its binary:
// node scripts/with-node.mjs 24.21.0 vitest run test/unit
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const cache = path.join(root, '.cache/node');

const [version, ...words] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+$/.test(version ?? '') || process.platform !== 'linux') {
  console.error('Usage, on Linux: node scripts/with-node.mjs <version> [command…]');
  console.error('The version has three numbers. The default command is: vitest run');
  process.exit(2);
}
const command = words.length > 0 ? words : ['vitest', 'run'];

const folder = path.join(cache, version);
if (!existsSync(path.join(folder, 'node'))) fetchNode();
runCommand();

/** npm verifies the checksum of the package. The rename lets two calls fetch the same version. */
function fetchNode() {
  mkdirSync(cache, { recursive: true });
  const fresh = mkdtempSync(path.join(cache, 'fetch-'));
  try {
    const name = `node-linux-${process.arch}@${version}`;
    run('npm', 'pack', name, '--silent', '--pack-destination', fresh);
    const archive = path.join(fresh, `node-linux-${process.arch}-${version}.tgz`);
    run('tar', '-xzf', archive, '-C', fresh, '--strip-components=2', 'package/bin/node');
    rmSync(archive);
    if (!existsSync(folder)) renameSync(fresh, folder);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

function run(program, ...args) {
  const { status, error } = spawnSync(program, args, { cwd: root, stdio: 'inherit' });
  if (error !== undefined) throw error;
  if (status === 0) return;
  console.error(`Node ${version} could not be fetched from the npm registry.`);
  process.exit(1);
}

/** Programs that start with `#!/usr/bin/env node` find this Node first, as do their children. */
function runCommand() {
  const node = path.join(folder, 'node');
  const searchPath = [folder, path.join(root, 'node_modules/.bin'), process.env.PATH].join(':');
  const env = { ...process.env, PATH: searchPath, NODE: node, npm_node_execpath: node };
  const child = spawn(command[0], command.slice(1), { stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    console.error(error.message);
    process.exitCode = 127;
  });
  child.on('exit', (status) => {
    process.exitCode = status ?? 1;
  });
}
