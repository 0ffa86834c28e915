// The packages of clients/ are packed and installed once for all of these suites.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installPackedClients, type PackedClients } from '../support/packed-clients.ts';
import { describeBrowser } from './browser-suite.ts';
import { describeClient } from './client-suite.ts';
import { describeOtherOrigins } from './cross-origin-suite.ts';
import { describeNewcomer } from './newcomer-suite.ts';
import { describeClientTls } from './tls-suite.ts';
import { describeVerify } from './verify-suite.ts';

let packed: PackedClients;
const installed = () => packed;
beforeAll(async () => {
  packed = await installPackedClients();
});
afterAll(() => packed?.remove());

describe.each(['client', 'verify'])('the package @latchkey/%s', (name) => {
  it('has a correct package.json, a README, and the version of the server', async () => {
    const folder = path.join(packed.folder, 'node_modules/@latchkey', name);
    const { messages } = await publint({ pkgDir: folder, pack: false, strict: true });
    expect(messages).toEqual([]);
    const versionIn = async (file: string) => JSON.parse(await readFile(file, 'utf8')).version;
    const root = path.resolve(import.meta.dirname, '../..');
    const version = await versionIn(path.join(folder, 'package.json'));
    expect(version).toBe(await versionIn(path.join(root, 'package.json')));
    expect(await readFile(path.join(folder, 'README.md'), 'utf8')).toContain(`@latchkey/${name}`);
  });
});

describeNewcomer(installed);
describeClient(installed);
describeClientTls(installed);
describeVerify(installed);
describeBrowser(installed);
describeOtherOrigins(installed);
