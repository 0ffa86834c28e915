// Rules on which part of the source may import which; folders must not import each other.
import { describe, expect, test } from 'vitest';
import { itHoldsFor } from '../support/rule.ts';
import { listFiles, readText } from './files.ts';
import { type Import, importsOf } from './imports.ts';

const clients = ['clients/cli', 'clients/client'];
const sources = ['src', ...clients.map((folder) => `${folder}/src`)].flatMap((folder) =>
  listFiles(folder, '.ts'),
);
const imports = sources.flatMap((file) => importsOf(file, readText(file)));
const local = imports.filter(({ to }) => /^(src|gen|clients)\//.test(to));

/**
 * The part of the program that a file belongs to: a room, which is a folder of `src`, a feature
 * folder of a module, the queries of a module, a file that is directly in `src` or in a module's
 * folder, or a package.
 */
function partOf(file: string): string {
  if (file.startsWith('gen/')) return 'gen';
  const client = clients.find((folder) => file.startsWith(`${folder}/`));
  if (client !== undefined) return client;
  if (file.startsWith('src/sharing/queries/')) return 'sharing queries';
  const feature = /^src\/((identity|sharing)\/[\w-]+)\//.exec(file)?.[1];
  if (feature !== undefined) return feature;
  if (/^src\/(identity|sharing)\/[\w-]+\.ts$/.test(file)) return file;
  return /^src\/([\w-]+)\//.exec(file)?.[1] ?? file;
}

const belowApi = ['gen', 'base', 'storage'];
const belowFeatures = [...belowApi, 'api', 'credentials', 'audit'];

/** The parts whose values a part may import in addition to its own; `*` means any. */
const mayImport: Record<string, readonly string[]> = {
  'clients/client': ['gen'],
  'clients/cli': ['gen', 'clients/client'],
  // The names of the variables of the command line.
  base: ['gen', 'clients/cli'],
  storage: ['gen', 'base'],
  api: belowApi,
  credentials: [...belowApi, 'api'],
  audit: [...belowApi, 'api'],
  search: [...belowApi, 'api', 'audit'],
  installation: [...belowApi, 'api', 'credentials', 'audit'],
  observe: [...belowApi, 'api'],
  site: ['gen', 'base', 'api'],
  'identity feature': belowFeatures,
  'sharing feature': [...belowFeatures, 'sharing queries'],
  'sharing queries': belowApi,
  backup: belowFeatures,
  transports: ['gen', 'base', 'api', 'site'],
  boot: ['*'],
  cli: ['*'],
  'src/identity/module.ts': ['*'],
  'src/identity/module-types.ts': ['*'],
  'src/identity/search-kinds.ts': ['*'],
  'src/identity/access-sources.ts': ['*'],
  'src/sharing/module.ts': ['*'],
  'src/sharing/search-kinds.ts': ['*'],
  'src/sharing/routes.ts': ['*'],
  'src/main.ts': ['*'],
};

/** The parts of which a part may import only the types; `module.ts` passes in the values. */
const mayImportTypes: Record<string, readonly string[]> = {
  // A feature receives other features of the same module.
  'identity feature': ['identity feature'],
  'sharing feature': ['sharing feature'],
  // A backup receives the blob store.
  backup: ['sharing feature'],
};

const moduleOf = (part: string) => /^(identity|sharing)\//.exec(part)?.[1];
const isFeature = (part: string) => moduleOf(part) !== undefined;
const kindOf = (part: string) => (isFeature(part) ? `${moduleOf(part)} feature` : part);

function isPermitted({ from, to, isType }: Import): boolean {
  const [here, there] = [partOf(from), partOf(to)];
  if (there === here) return true;
  const values = mayImport[kindOf(here)] ?? [];
  if (values.includes('*') || values.includes(there)) return true;
  return isType && (mayImportTypes[kindOf(here)] ?? []).includes(kindOf(there));
}

/** The files that contain queries. */
const queryPlaces = /^src\/(storage|sharing\/queries)\/|\/store\.ts$/;

/** The transports import only the options from the generated code, no product messages. */
const productMessages = /^gen\/latchkey\/(identity|sharing)\//;

/** Every cycle of a graph, as `a -> b -> a`. */
function cyclesOf(edges: Iterable<readonly [string, string]>): string[] {
  const next = new Map<string, Set<string>>();
  for (const [from, to] of edges) next.set(from, (next.get(from) ?? new Set()).add(to));
  const done = new Set<string>();
  const cycles: string[] = [];
  const follow = (node: string, path: string[]): void => {
    if (path.includes(node)) cycles.push([...path.slice(path.indexOf(node)), node].join(' -> '));
    if (done.has(node) || path.includes(node)) return;
    for (const one of next.get(node) ?? []) follow(one, [...path, node]);
    done.add(node);
  };
  for (const node of next.keys()) follow(node, []);
  return cycles;
}

/** The folder of a file. A file directly in one of these folders counts as a folder. */
function folderOf(file: string): string {
  const folder = file.slice(0, file.lastIndexOf('/'));
  return /^(src(\/(api|identity|sharing))?|clients\/cli\/src)$/.test(folder) ? file : folder;
}

describe('an import', () => {
  test('stays within the parts that the importing part may use', () => {
    const broken = local.filter((one) => !isPermitted(one));
    expect(broken.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  test('of a transport does not refer to a product message', () => {
    const broken = local.filter(
      ({ from, to }) => /^src\/(transports|site)\//.test(from) && productMessages.test(to),
    );
    expect(broken.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  test('refers to an existing file', () => {
    const known = new Set([...sources, ...listFiles('gen', '.ts')]);
    expect(local.filter(({ to }) => !known.has(to)).map(({ to }) => to)).toEqual([]);
  });

  itHoldsFor([
    ['kysely', queryPlaces],
    ['better-sqlite3', /^src\/storage\/drivers\/sqlite(-driver|-library)?\.ts$/],
    ['pg', /^src\/storage\/(database|drivers\/postgres(-pool)?)\.ts$/],
    ['@fastify/busboy', /^src\/transports\//],
    ['@grpc/grpc-js', /^src\/transports\//],
    ['@grpc/reflection', /^src\/transports\//],
    ['@connectrpc/connect-node', /^(src\/transports|clients\/cli|clients\/client)\//],
    ['commander', /^clients\/cli\/src\/base\/parser\.ts$/],
    ['jose', /^src\/identity\/(keys|tokens)\//],
    ['prom-client', /^src\/observe\//],
    ['pino', /^src\/observe\//],
    ['@opentelemetry/api', /^src\/observe\/telemetry\//],
    ['@opentelemetry/core', /^src\/observe\/telemetry\//],
    ['nodemailer', /^src\/base\/mail\//],
  ])('of a library occurs only in its part', (library, places) => {
    const users = imports.filter(({ to }) => to === library).map(({ from }) => from);
    expect(users.length).toBeGreaterThan(0);
    expect(users.filter((file) => !places.test(file))).toEqual([]);
  });

  test('of signing and verifying functions occurs only with the keys and tokens', () => {
    const signing = /^(sign|verify|createSign|createVerify|generateKeyPair.*|create\w+Key)$/;
    const users = imports.filter(
      ({ to, names }) => to === 'node:crypto' && names.some((name) => signing.test(name)),
    );
    const files = users.map(({ from }) => from);
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => !/^src\/identity\/(keys|tokens)\//.test(file))).toEqual([]);
  });

  test('of a type or a value does not create a cycle of files', () => {
    expect(cyclesOf(local.map(({ from, to }) => [from, to]))).toEqual([]);
  });

  test('of a type or a value does not create a cycle of folders', () => {
    const edges = local
      .map(({ from, to }) => [folderOf(from), folderOf(to)] as const)
      .filter(([from, to]) => from !== to);
    expect(cyclesOf(edges)).toEqual([]);
  });
});

test('only these transports cast objects of a library', () => {
  const cast = /as unknown as|getPrototypeOf/;
  const users = sources.filter(
    (file) => /^src\/transports\//.test(file) && cast.test(readText(file)),
  );
  expect(users).toEqual([
    'src/transports/grpc/private-members.ts',
    // Calls, as the library expects them.
    'src/transports/grpc/reflection-index.ts',
    'src/transports/grpc/server.ts',
    // The requests and responses of node:http2, as those of node:http.
    'src/transports/http/http2.ts',
    'src/transports/http/secure-server.ts',
  ]);
});

test('a query occurs only in the storage, in store files and in the queries of a module', () => {
  const query = /\.(selectFrom|insertInto|updateTable|deleteFrom)\(/;
  const users = sources.filter((file) => query.test(readText(file)));
  expect(users.filter((file) => !queryPlaces.test(file))).toEqual([]);
  expect(users.length).toBeGreaterThan(0);
});

test('no two exports of src and web have the same name', () => {
  const exported = /^export (?:async )?(?:function|const|class|type|enum) (\w+)/gm;
  const files = new Map<string, string[]>();
  for (const file of [...listFiles('src', '.ts'), ...listFiles('web', '.ts', '.tsx')]) {
    for (const [, name = ''] of readText(file).matchAll(exported)) {
      files.set(name, [...(files.get(name) ?? []), file]);
    }
  }
  expect([...files].filter(([, found]) => found.length > 1)).toEqual([]);
});
