// How `apply` reads a folder with files of an unknown person, such as a pull request.
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readFolder } from '../../../clients/cli/src/apply/read-files.ts';
import { itHoldsFor } from '../../support/rule.ts';

let root: string;
let folder: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'latchkey-apply-'));
  folder = path.join(root, 'config');
  await mkdir(path.join(folder, 'inner'), { recursive: true });
});
afterEach(() => rm(root, { recursive: true, force: true }));

const write = (name: string, text: string) => writeFile(path.join(folder, name), text);

/** The message of the error with which reading the folder fails. */
const failure = () =>
  readFolder(folder).then(
    () => 'no error',
    (error: Error) => error.message,
  );

test('a link to a file of the same folder is read', async () => {
  await write('inner/original', 'clients:\n  - {external_id: a, name: A}\n');
  await symlink(path.join('inner', 'original'), path.join(folder, 'a.yaml'));
  await write('inner/b.yml', 'clients:\n  - {external_id: b, name: B}\n');
  expect((await readFolder(folder)).map(({ place }) => place)).toEqual([
    ...['a.yaml:2: clients[0]', 'inner/b.yml:2: clients[0]'],
  ]);
});

itHoldsFor([
  ['a file outside', 'foreign.yaml'],
  ['a file that begins like the folder', 'config-foreign.yaml'],
  ['a device', '/dev/zero'],
])('a link to a file outside is refused', async (_, target) => {
  const file = path.resolve(root, target);
  if (!target.startsWith('/')) await writeFile(file, 'private_name: 1\n');
  await rm(path.join(folder, 'a.yaml'), { force: true });
  await symlink(file, path.join(folder, 'a.yaml'));
  expect(await failure()).toMatch(/a\.yaml is a symbolic link to a file outside of the folder\.$/);
});

test('a link to a folder is refused, because its resources would be missing', async () => {
  await write('a.yaml', 'clients: []\n');
  await mkdir(path.join(root, 'foreign'));
  await symlink(path.join(root, 'foreign'), path.join(folder, 'inner', 'more'));
  expect(await failure()).toBe(
    'inner/more is a symbolic link to a folder, which is not supported.',
  );
});

test.runIf(process.platform !== 'win32')('a pipe is refused and not waited for', async () => {
  execFileSync('mkfifo', [path.join(folder, 'a.yaml')]);
  expect(await failure()).toMatch(/a\.yaml is not a regular file\.$/);
});

test('a file that is too large is refused', async () => {
  await write('a.yaml', '');
  await truncate(path.join(folder, 'a.yaml'), 16 * 1024 * 1024 + 1);
  expect(await failure()).toMatch(/a\.yaml is too large\.$/);
});

test('a file with more than 500,000 lines is refused', async () => {
  const clients = 'clients:\n  - {external_id: a, name: A}\n';
  await write('a.yaml', `${clients}${'#\n'.repeat(499_999)}`);
  expect(await failure()).toMatch(/a\.yaml has more than 500,000 lines\.$/);
  await write('a.yaml', `${clients}${'\n'.repeat(499_998)}`);
  expect(await readFolder(folder)).toHaveLength(1);
});

test('names with line breaks and escape sequences stay on their line', async () => {
  await write('::a\n::b.yaml', '"\\e[31mred\\n::add-mask::x": 1\n');
  const name = String.raw`"\e[31mname\r\n::add-mask::y"`;
  await write('b.yaml', `clients:\n  - {external_id: b, name: B, ${name}: 1}\n`);
  expect((await failure()).split('\n')).toEqual([
    expect.stringMatching(/^\.\/::a ::b\.yaml:1: red ::add-mask::x: is not a kind of resource\./),
    'b.yaml:2: clients[0].name  ::add-mask::y: is not a field',
    'Nothing was changed.',
  ]);
});

test('at most 20 problems of each file are shown', async () => {
  await write('a.yaml', `clients: ${'['.repeat(2_000)}`);
  await write('b.yaml', 'clients:\n  - {external_id: b}\n');
  const lines = (await failure()).split('\n');
  expect(lines.slice(20)).toEqual([
    expect.stringMatching(/^a\.yaml: \d+ more problems$/),
    ...['b.yaml:2: clients[0].name: is missing', 'Nothing was changed.'],
  ]);
});

test('the time does not grow with the square of the number of keys', async () => {
  const keys = Array.from({ length: 50_000 }, (_, i) => `k${i}: v`).join(', ');
  const item = '  - {external_id: a, name: A, claims: {';
  await write('a.yaml', `clients:\n${item}${keys}}}\n`);
  expect(Object.keys((await readFolder(folder))[0]?.values.claims ?? {})).toHaveLength(50_000);
  await write('a.yaml', `clients:\n${item}${keys}, k1: w}}\n`);
  expect(await failure()).toBe('a.yaml:2: Map keys must be unique\nNothing was changed.');
});

itHoldsFor(['.inf', '.nan', '!!set {b}', '[{b: .inf}]'])(
  'a value that JSON does not have is refused',
  async (value) => {
    const item = `  - {external_id: a, name: A, claims: {a: ${value}}}`;
    await write('a.yaml', `%YAML 1.1\n---\nclients:\n${item}\n`);
    expect(await failure()).toBe(
      'a.yaml:4: clients[0].claims: must be a map of JSON values\nNothing was changed.',
    );
  },
);

test.each([
  ['audiences', 'aud', 'identifier: "urn:a", name: A'],
  ['trusted_issuers', 'iss', 'issuer: "https://ci.example"'],
])('an external id of %s that has the form of an id is refused', async (kind, prefix, fields) => {
  const id = `${prefix}_${'0'.repeat(22)}`;
  await write('a.yaml', `${kind}:\n  - {external_id: ${id}, ${fields}}\n`);
  expect(await failure()).toBe(
    `a.yaml:2: ${kind}[0].external_id: must not have the form of an id of the service\n` +
      'Nothing was changed.',
  );
  await write('a.yaml', `${kind}:\n  - {external_id: ${id}0, ${fields}}\n`);
  expect(await readFolder(folder)).toHaveLength(1);
});
