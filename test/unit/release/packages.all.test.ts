import { homedir } from 'node:os';
import { expect, test } from 'vitest';
import { checkPackages } from '../../../scripts/release/packages.ts';
import { newReleaseProject } from './release-project.ts';

test('each forbidden file of a package is a problem', async () => {
  const project = await newReleaseProject();
  expect(await checkPackages(project.root)).toMatchObject({ findings: [] });

  await project.write('dist/test/a.js', '');
  await project.write('dist/a.test.js', '');
  await project.write('dist/data/rows.json', '');
  await project.write('dist/latchkey.db', '');
  await project.write('dist/tls.pem', '');
  await project.write('dist/.env', '');
  const key = ['-----BEGIN', 'PRIVATE KEY-----\n'].join(' ') + 'A'.repeat(40);
  await project.write('dist/key.js', `const key = \`${key}\``);
  await project.write('dist/folder.js', `open('${homedir()}/latchkey/file')`);
  await project.write('dist/main.js.map', '{"sources":["/build/src/main.ts"]}');
  await project.write('clients/client/notes.js', `const token = 'npm_${'a1'.repeat(18)}'`);
  await project.remove('clients/client/index.js');
  await project.remove('clients/client/README.md');
  const { findings } = await checkPackages(project.root);
  expect(findings.map(({ text }) => text.replace(/\. .*$/, '')).sort()).toEqual([
    '@latchkey/client: README.md is missing',
    '@latchkey/client: index.js is named in package.json but not packed',
    '@latchkey/client: notes.js contains an npm token',
    'latchkey: dist/.env is a secret',
    'latchkey: dist/a.test.js is a test',
    'latchkey: dist/data/rows.json is data',
    'latchkey: dist/folder.js names a folder of this machine',
    'latchkey: dist/key.js contains a private key',
    'latchkey: dist/latchkey.db is data',
    'latchkey: dist/main.js.map has the absolute path /build/src/main.ts',
    'latchkey: dist/test/a.js is a test',
    'latchkey: dist/tls.pem is a secret',
  ]);
});
