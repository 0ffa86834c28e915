// The packages of clients/ are packed and installed once for all of these suites.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { installPackedClients, type PackedClients } from '../support/packed-clients.ts';
import { itHoldsFor } from '../support/rule.ts';
import { describeBrowser } from './browser-suite.ts';
import { describeClient } from './client-suite.ts';
import { describeCommandLine } from './command-line-suite.ts';
import { describeOtherOrigins } from './cross-origin-suite.ts';
import { describeMessages } from './messages-suite.ts';
import { describeNewcomer } from './newcomer-suite.ts';
import { describeClientTls } from './tls-suite.ts';
import { describeVerify } from './verify-suite.ts';

const execute = promisify(execFile);

let packed: PackedClients;
const installed = () => packed;
beforeAll(async () => {
  packed = await installPackedClients();
});
afterAll(() => packed?.remove());

itHoldsFor(['cli', 'client', 'verify'])(
  'each package has a correct package.json, a README, and the version of the server',
  async (name) => {
    const folder = path.join(packed.folder, 'node_modules/@latchkey', name);
    const { messages } = await publint({ pkgDir: folder, pack: false, strict: true });
    expect(messages).toEqual([]);
    const versionIn = async (file: string) => JSON.parse(await readFile(file, 'utf8')).version;
    const root = path.resolve(import.meta.dirname, '../..');
    const version = await versionIn(path.join(folder, 'package.json'));
    expect(version).toBe(await versionIn(path.join(root, 'package.json')));
    expect(await readFile(path.join(folder, 'README.md'), 'utf8')).toContain(`@latchkey/${name}`);
  },
);

it('the methods of the client show their comments in an editor', async () => {
  const read = (file: string) =>
    readFile(path.join(packed.folder, 'node_modules/@latchkey/client/dist', file), 'utf8');
  const table = await read('clients/client/src/services.d.ts');
  const services = [...table.matchAll(/readonly (\w+): typeof (\w+Service);/g)];
  const source = await readFile(
    path.resolve(import.meta.dirname, '../../clients/client/src/services.ts'),
    'utf8',
  );
  expect(services.map(([, name]) => name)).toContain('links');
  expect(services).toHaveLength(source.match(/readonly \w+: typeof \w+Service;/g)?.length ?? 0);
  const declarations = await read('gen/latchkey/sharing/v1/link_pb.d.ts');
  expect(declarations).toMatch(/LinkService\.CreateLink\n +\*\/\n +createLink: \{/);
});

it('both packages can be loaded with require', async () => {
  const { stdout } = await execute(
    process.execPath,
    [
      '--eval',
      `for (const name of ['client', 'verify']) {
        console.log(Object.keys(require('@latchkey/' + name)).join());
      }`,
    ],
    { cwd: packed.folder },
  );
  expect(stdout).toContain('createClient');
  expect(stdout).toContain('createVerifier');
});

describeCommandLine(installed);
describeNewcomer(installed);
describeClient(installed);
describeMessages(installed);
describeClientTls(installed);
describeVerify(installed);
describeBrowser(installed);
describeOtherOrigins(installed);
