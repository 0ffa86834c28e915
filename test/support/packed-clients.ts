// The packages of clients/, packed and installed in an empty project, as their users get them.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');

/** The only packages that those of clients/ may need. */
const permitted = [
  '@bufbuild/protobuf',
  '@connectrpc/connect',
  '@connectrpc/connect-node',
  '@connectrpc/connect-web',
  'commander',
  'cookie',
  'jose',
  'string-width',
  'yaml',
];

/** The packages that string-width needs. */
const nested = ['ansi-regex', 'strip-ansi'];
const indirect = ['emoji-regex', 'get-east-asian-width'];

export type PackedClients = {
  readonly folder: string;
  /** Loads an installed module, such as `@latchkey/verify/fastify`. */
  load<T>(specifier: string): Promise<T>;
  /** Runs a program in the project. Rejects if it fails. */
  run(program: string, env?: Readonly<Record<string, string>>): Promise<string>;
  remove(): Promise<void>;
};

/**
 * Packs and installs. npm works offline: it copies the permitted packages from those of the root.
 * Any other dependency therefore fails. The frameworks of the middleware and undici are links.
 */
export async function installPackedClients(): Promise<PackedClients> {
  const parent = await mkdtemp(path.join(tmpdir(), 'latchkey-clients-'));
  const folder = path.join(parent, 'project');
  const npm = (cwd: string, ...words: string[]) =>
    run('npm', [...words, '--silent', '--offline', '--cache', path.join(parent, 'cache')], { cwd });

  await run(process.execPath, ['scripts/build-clients.mjs'], { cwd: root });
  await mkdir(folder);
  await npm(root, 'pack', '--workspaces', '--pack-destination', parent);
  const modules = path.join(root, 'node_modules');
  const dependencies = [
    ...[...permitted, ...indirect].map((name) => [name, `file:${modules}/${name}`]),
    ...nested.map((name) => [name, `file:${modules}/string-width/node_modules/${name}`]),
  ];
  await writeFile(
    path.join(folder, 'package.json'),
    JSON.stringify({ type: 'module', dependencies: Object.fromEntries(dependencies) }),
  );
  const packed = (await readdir(parent)).filter((name) => name.endsWith('.tgz'));
  const files = packed.map((name) => path.join(parent, name));
  await npm(folder, 'install', '--install-links', '--ignore-scripts', '--no-audit', ...files);
  for (const name of ['express', 'fastify', 'undici', '@grpc', '@types']) {
    await symlink(path.join(root, 'node_modules', name), path.join(folder, 'node_modules', name));
  }
  const { resolve } = createRequire(path.join(folder, 'package.json'));
  return {
    folder,
    load: (specifier) => import(pathToFileURL(resolve(specifier)).href),
    async run(program, env = {}) {
      const file = path.join(folder, 'program.mjs');
      await writeFile(file, program);
      const options = { cwd: folder, env: { PATH: process.env.PATH ?? '', ...env } };
      return (await run(process.execPath, [file], options)).stdout;
    },
    remove: () => rm(parent, { recursive: true, force: true }),
  };
}
