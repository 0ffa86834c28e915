// The laws of the house, as far as they can be read off the sources.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { getOption } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from 'vitest';
import { access, SessionCookie } from '../../gen/latchkey/options/v1/access_pb.js';
import { catalogue } from '../../src/rpc/errors.ts';
import { services } from '../../src/services.ts';
import { type Import, importsOf } from './imports.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');

/** The files of a folder that end in one of these, by their paths from the root. */
function files(folder: string, ...ends: string[]): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ends.some((end) => name.endsWith(end)))
    .map((name) => `${folder}/${name}`)
    .sort();
}

const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

const sources = files('src', '.ts');
const imports = sources.flatMap((file) => importsOf(file, read(file)));

/** Where a file stands in the house. A feature is a folder below a wing. */
function placeOf(file: string): string {
  const leaf = leaves.find((one) => file === one || (one.endsWith('/') && file.startsWith(one)));
  if (leaf !== undefined) return 'leaf';
  const feature = /^src\/(identity|sharing)\/[\w-]+(?=\/)/.exec(file)?.[0];
  if (feature !== undefined) return feature;
  return /^src\/[\w-]+(?=\/)/.exec(file)?.[0] ?? file;
}

/** What everybody may import. */
const leaves = [
  'gen/',
  'src/config.ts',
  'src/email.ts',
  'src/mail/mailer.ts',
  'src/mail/settings.ts',
  'src/ids.ts',
  'src/rpc/errors.ts',
  'src/identity/scopes.ts',
  'src/identity/credentials/format.ts',
  'src/http/',
];

/** What a place may import beside leaves and itself; `*` is anything. */
const mayImport: Record<string, readonly string[]> = {
  leaf: [],
  'src/storage': [],
  'src/rpc': [],
  'src/faces': ['src/rpc'],
  'src/observe': ['src/rpc'],
  'src/mail': ['src/storage'],
  feature: ['src/storage', 'src/rpc'],
  // The composition: it builds and fills everything.
  'src/app.ts': ['*'],
  'src/wings': ['*'],
  'src/services.ts': ['*'],
  'src/bootstrap.ts': ['*'],
  'src/data-folder.ts': ['src/storage'],
  'src/commands': ['*'],
  'src/main.ts': ['src/app.ts', 'src/commands', 'src/observe'],
};

/** Of what a place may import the types: the composition hands it the real ones. */
const mayImportTypes: Record<string, readonly string[]> = {
  feature: ['feature'],
  // It is told of calls and pages in the words of those who tell.
  'src/observe': ['src/faces'],
};

const kindOf = (place: string) => (/^src\/(identity|sharing)\//.test(place) ? 'feature' : place);

function isPermitted({ from, to, isType }: Import): boolean {
  const [here, there] = [placeOf(from), placeOf(to)];
  if (there === here || there === 'leaf') return true;
  const values = mayImport[kindOf(here)] ?? [];
  if (values.includes('*') || values.includes(there)) return true;
  return isType && (mayImportTypes[kindOf(here)] ?? []).includes(kindOf(there));
}

const local = imports.filter(({ to }) => to.startsWith('src/') || to.startsWith('gen/'));

describe('an import', () => {
  test('stays within what its place may know', () => {
    const broken = local.filter((one) => !isPermitted(one));
    expect(broken.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  test('leads to a file that there is', () => {
    const known = new Set([...sources, ...files('gen', '.ts')]);
    expect(local.filter(({ to }) => !known.has(to)).map(({ to }) => to)).toEqual([]);
  });

  test.each([
    ['kysely', /^src\/storage\/|\/store\.ts$/],
    ['better-sqlite3', /^src\/storage\/sqlite\.ts$/],
    ['pg', /^src\/storage\/(database|postgres)\.ts$/],
    ['fastify', /^src\/faces\//],
    ['@fastify/static', /^src\/faces\//],
    ['@fastify/busboy', /^src\/faces\//],
    ['@grpc/grpc-js', /^src\/faces\//],
    ['@grpc/reflection', /^src\/faces\//],
    ['grpc-health-check', /^src\/faces\//],
    ['@connectrpc/connect-node', /^src\/faces\//],
    ['jose', /^src\/identity\/(keys|tokens)\//],
    ['prom-client', /^src\/observe\//],
    ['pino', /^src\/observe\//],
    ['nodemailer', /^src\/mail\//],
  ])('of %s stands only where it belongs', (library, places) => {
    const users = imports.filter(({ to }) => to === library).map(({ from }) => from);
    expect(users.length).toBeGreaterThan(0);
    expect(users.filter((file) => !places.test(file))).toEqual([]);
  });

  test('of what signs and verifies stands only with the keys and tokens', () => {
    const signing = ['sign', 'verify', 'createSign', 'createVerify', 'generateKeyPair'];
    const users = imports.filter(
      ({ to, names }) =>
        to === 'node:crypto' &&
        names.some(
          (name) => signing.includes(name) || /^(generateKeyPair|create\w+Key$)/.test(name),
        ),
    );
    const files = users.map(({ from }) => from);
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => !/^src\/identity\/(keys|tokens)\//.test(file))).toEqual([]);
  });

  test('of values makes no cycle', () => {
    const next = new Map<string, string[]>();
    for (const { from, to, isType } of local) {
      if (!isType) next.set(from, [...(next.get(from) ?? []), to]);
    }
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (file: string, trail: string[]): void => {
      if (trail.includes(file))
        cycles.push([...trail.slice(trail.indexOf(file)), file].join(' -> '));
      if (done.has(file) || trail.includes(file)) return;
      for (const one of next.get(file) ?? []) visit(one, [...trail, file]);
      done.add(file);
    };
    for (const file of next.keys()) visit(file, []);
    expect(cycles).toEqual([]);
  });
});

test('only an entry touches the process', () => {
  const users = sources.filter((file) => /\bprocess\.(env|exit|on|once|argv)\b/.test(read(file)));
  expect(users).toEqual(['src/main.ts', 'src/sharing/documents/pages/program.ts']);
});

describe('a method', () => {
  const methods = Object.values(services).flatMap((service) => service.methods);

  test.each(methods.map((method) => [`${method.parent.name}.${method.name}`, method] as const))(
    '%s says who may call it, and whether it may be repeated',
    (_name, method) => {
      const rule = getOption(method, access);
      const takesCookie = rule.sessionCookie !== SessionCookie.UNSPECIFIED;
      expect(rule.public || rule.self || rule.scope !== '' || takesCookie).toBe(true);
      const source = read(`proto/${method.parent.file.name}.proto`);
      const body = new RegExp(
        `(?:// .*\\n\\s*)rpc ${method.name}\\([^]*?idempotency_level = (\\w+)`,
      );
      const [, level = ''] = body.exec(source) ?? [];
      // Unknown is said, too, so that it is a decision.
      expect(Object.keys(MethodOptions_IdempotencyLevel)).toContain(level);
    },
  );

  test('is not left out of the table of contents', () => {
    const declared = files('proto/latchkey', '.proto').flatMap((file) =>
      [...read(file).matchAll(/^service (\w+)/gm)].map(([, name]) => name),
    );
    const listed = Object.values(services).map(({ name }) => name);
    expect(listed.sort()).toEqual(declared.sort());
  });
});

test('every error code is documented, and nothing else is', () => {
  const rows = read('docs/errors.md').matchAll(/^\|\s*`([\w.]+)`\s*\|(.*)$/gm);
  const documented = new Map([...rows].map(([, code = '', rest = '']) => [code, rest]));
  expect([...documented.keys()].sort()).toEqual(Object.keys(catalogue).sort());
  for (const [code, { status }] of Object.entries(catalogue)) {
    expect(documented.get(code), code).toContain(String(status));
  }
});

const written = ['src', 'web', 'test'].flatMap((folder) => files(folder, '.ts', '.tsx', '.mjs'));

test('no file has more than 300 lines', () => {
  const long = written.filter((file) => read(file).trimEnd().split('\n').length > 300);
  expect(long).toEqual([]);
});

/** Files of lines that cannot be broken. */
const longLines: Record<string, string> = {
  'src/email.ts': 'a regular expression',
  'src/sharing/gate/pages.ts': 'HTML, in which a break would show',
};

test('no line has more than 100 columns', () => {
  const breakable = written.filter((file) => !(file in longLines));
  const long = breakable.flatMap((file) =>
    read(file)
      .split('\n')
      .flatMap((line, i) => ([...line].length > 100 ? [`${file}:${i + 1}`] : [])),
  );
  expect(long).toEqual([]);
});

test('no test is skipped, alone, or still to be written', () => {
  const marks = new RegExp(
    `\\b(?:test|it|describe)(?:\\.\\w+)*\\.(?:${['skip', 'only', 'todo'].join('|')})`,
  );
  expect(files('test', '.test.ts').filter((file) => marks.test(read(file)))).toEqual([]);
});

test('what is generated is what the protos generate today', async () => {
  await run('node', ['proto/check-generated.mjs'], { cwd: root });
});
