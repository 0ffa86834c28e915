// Builds dist/: the service, the browser code and the demo's sample document. With --if-changed it
// does nothing if dist/ was built from the same sources.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const stamp = path.join(root, 'dist/built-from');

const folders = ['src', 'gen', 'web', 'scripts/openapi', 'clients/cli/src', 'clients/client/src'];
const files = [
  'docs/sample.pdf',
  'package.json',
  'package-lock.json',
  'scripts/build.mjs',
  'tsconfig.json',
  'vite.config.ts',
  'vite.server.config.ts',
];

function digestOfSources() {
  const nested = folders.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name))),
  );
  const hash = createHash('sha256');
  for (const file of [...files, ...nested].sort()) {
    const content = readFileSync(path.join(root, file));
    hash.update(`${file} ${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}

function run(tool, ...words) {
  const { status, error } = spawnSync(path.join(root, 'node_modules/.bin', tool), words, {
    cwd: root,
    stdio: 'inherit',
  });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(1);
}

// Computed before the build, so that a change during the build causes another build later.
const digest = digestOfSources();
const isBuilt = existsSync(stamp) && readFileSync(stamp, 'utf8') === digest;
if (!process.argv.includes('--if-changed') || !isBuilt) {
  console.log('Building dist/, which takes about a minute.');
  rmSync(stamp, { force: true });
  run('vite', 'build', '--logLevel', 'warn', '--config', 'vite.server.config.ts');
  run('vite', 'build', '--logLevel', 'warn');
  copyFileSync(path.join(root, 'docs/sample.pdf'), path.join(root, 'dist/sample.pdf'));
  writeFileSync(stamp, digest);
}
