// A small project that passes every check of a release.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

const client = { name: '@latchkey/client', version: '1.2.0', license: 'MIT' };

const manifest = {
  name: 'latchkey',
  version: '1.2.0',
  private: true,
  license: 'MIT',
  bin: { latchkey: 'dist/main.js' },
  files: ['dist'],
  workspaces: ['clients/client'],
  dependencies: { loaded: '1.0.0', renamed: 'npm:loaded@2.0.0' },
  devDependencies: { bundled: '1.0.0', copied: '1.0.0', tool: '1.0.0' },
};

const lock = {
  name: 'latchkey',
  version: '1.2.0',
  lockfileVersion: 3,
  requires: true,
  packages: {
    '': manifest,
    'clients/client': client,
    'node_modules/@latchkey/client': { resolved: 'clients/client', link: true },
    'node_modules/bundled': { version: '1.0.0', dev: true, license: '(MPL-2.0 OR Apache-2.0)' },
    'node_modules/copied': { version: '1.0.0', dev: true },
    'node_modules/indirect': { version: '3.0.0', license: 'ISC' },
    'node_modules/loaded': {
      version: '1.0.0',
      license: 'MIT',
      dependencies: { indirect: '3.0.0' },
    },
    'node_modules/renamed': { name: 'loaded', version: '2.0.0', license: 'MIT' },
    'node_modules/tool': { version: '1.0.0', dev: true, license: 'GPL-3.0' },
  },
};

const table = '| package | advisory | date | reason |\n|---|---|---|---|\n';

const files: Record<string, string> = {
  'package.json': JSON.stringify(manifest),
  'package-lock.json': JSON.stringify(lock),
  'CHANGELOG.md':
    '# Changelog\n\n## [1.2.0] - 2026-11-23\n\n- A change.\n\n## [1.1.0] - 2026-10-01\n',
  'README.md': 'Latchkey',
  LICENSE: 'MIT',
  'deploy/helm/latchkey/Chart.yaml': 'apiVersion: v2\nversion: 1.2.0\nappVersion: "1.2.0"\n',
  'dist/main.js': 'run();',
  'dist/main.js.map': '{"sources":["../src/main.ts"]}',
  'docs/vulnerabilities.md': table,
  'node_modules/copied/LICENSE': 'Permission is hereby granted, free of charge, to any person',
  'vite.config.ts': "const copied = join(root, 'node_modules/copied/bundle.js');",
  'web/main.tsx': "import { run } from 'bundled/run';\nimport './own.ts';\n",
  'clients/client/package.json': JSON.stringify({ ...client, exports: { '.': './index.js' } }),
  'clients/client/index.js': 'export {};',
  'clients/client/README.md': 'The client',
  'clients/client/LICENSE': 'MIT',
};

export type ReleaseProject = {
  readonly root: string;
  write(file: string, text: string): Promise<void>;
  replace(file: string, from: string | RegExp, to: string): Promise<void>;
  remove(file: string): Promise<void>;
};

export async function newReleaseProject(): Promise<ReleaseProject> {
  const root = await mkdtemp(path.join(tmpdir(), 'latchkey-test-'));
  onTestFinished(() => rm(root, { recursive: true }));
  async function write(file: string, text: string): Promise<void> {
    const name = path.join(root, file);
    await mkdir(path.dirname(name), { recursive: true });
    await writeFile(name, text);
  }
  for (const [file, text] of Object.entries(files)) await write(file, text);
  return {
    root,
    write,
    async replace(file, from, to) {
      await write(file, (await readFile(path.join(root, file), 'utf8')).replace(from, to));
    },
    remove: (file) => rm(path.join(root, file)),
  };
}
