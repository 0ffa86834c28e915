// The Go program of docs/clients.md, with the Go packages of Debian. Their version of grpc is older
// than the functions that the program calls, so two calls are replaced.
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { startTestApp } from '../support/harness.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');
const libraries = '/usr/share/gocode';
const packages =
  'golang-go golang-google-grpc-dev golang-google-protobuf-dev golang-google-genproto-dev ' +
  'golang-github-golang-protobuf-1-5-dev protobuf-compiler protoc-gen-go-1-5 protoc-gen-go-grpc';

/** A call of a newer grpc, and the one of Debian's. */
const replacements: readonly [string, string][] = [
  ['\t"google.golang.org/grpc/credentials/insecure"\n', ''],
  ['grpc.WithTransportCredentials(insecure.NewCredentials())', 'grpc.WithInsecure()'],
  ['grpc.NewClient(', 'grpc.Dial('],
];

/** The code of docs/clients.md, with calls of Debian's grpc. */
async function readRecipe() {
  const document = await readFile(path.join(root, 'docs/clients.md'), 'utf8');
  const section = document.slice(document.indexOf('## Go'));
  const [, buf = ''] = /```yaml\n([\s\S]*?)```/.exec(section) ?? [];
  let [, program = ''] = /```go\n([\s\S]*?)```/.exec(section) ?? [];
  for (const [newer, older] of replacements) {
    expect(program).toContain(newer);
    program = program.replace(newer, older);
  }
  return { section, buf, program };
}

/** A folder of the GOPATH for the package `example.com/yours`. */
async function openFolder() {
  await run('dpkg', ['--status', ...packages.split(' ')]).catch((cause) => {
    throw new Error(`missing packages: apt-get install ${packages}`, { cause });
  });
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-go-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const cwd = path.join(folder, 'src/example.com/yours');
  await mkdir(cwd, { recursive: true });
  const env = {
    ...process.env,
    GO111MODULE: 'off',
    GOFLAGS: '',
    GOPATH: `${folder}:${libraries}`,
    GOCACHE: path.join(folder, 'cache'),
  };
  return { folder, cwd, env };
}

type Folder = Awaited<ReturnType<typeof openFolder>>;

/** Builds the program, and calls the service with a right and a wrong key. */
async function expectCalls({ cwd, env }: Folder, program: string): Promise<void> {
  await writeFile(path.join(cwd, 'main.go'), program);
  await run('go', ['build', '-o', 'yours'], { cwd, env });
  const testApp = await startTestApp();
  onTestFinished(() => testApp.remove());
  const call = (settings: Record<string, string>) =>
    run(path.join(cwd, 'yours'), [], { env: { ...testApp.env, ...settings } });

  const { stdout } = await call({});
  const refusal = await call({ API_KEY: 'wrong' }).catch(({ stderr }) => stderr);

  expect(stdout).toMatch(/^\d+\n$/);
  expect(refusal).toMatch(/ unauthenticated\n$/);
}

it('the Go program lists documents and reads an error', { timeout: 300_000 }, async () => {
  const { buf, program } = await readRecipe();
  const folder = await openFolder();
  const { cwd, env } = folder;
  await copyFile(path.join(root, 'gen/latchkey.binpb'), path.join(cwd, 'latchkey.binpb'));
  await writeFile(path.join(cwd, 'buf.gen.yaml'), buf);
  await run(path.join(root, 'node_modules/.bin/buf'), ['generate'], { cwd, env });
  await expectCalls(folder, program);
});

it('protoc generates packages with the import paths of the protos', async () => {
  const { section, program } = await readRecipe();
  const command = 'protoc --descriptor_set_in=gen/latchkey.binpb --go_out=$OUT --go-grpc_out=$OUT';
  expect(section).toContain(command);
  const folder = await openFolder();
  const names = readdirSync(path.join(root, 'proto'), { recursive: true, encoding: 'utf8' });
  // Debian has no package with the code of protovalidate.
  const files = [...names.filter((name) => name.endsWith('.proto')), 'buf/validate/validate.proto'];
  const [, ...words] = command.replaceAll('$OUT', path.join(folder.folder, 'src')).split(' ');
  await run('protoc', [...words, ...files], { cwd: root });
  await run('go', ['build', 'latchkey/...'], folder);
  const own = 'example.com/yours/gen/latchkey/sharing/v1';
  expect(program).toContain(own);
  await expectCalls(folder, program.replace(own, 'latchkey/sharing/v1'));
}, 300_000);
