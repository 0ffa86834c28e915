// The Go program of docs/clients.md, with the Go packages of Debian. Their version of grpc is older
// than the functions that the program calls, so two calls are replaced.
import { execFile } from 'node:child_process';
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
  'golang-go golang-google-grpc-dev golang-google-protobuf-dev ' +
  'golang-github-golang-protobuf-1-5-dev protoc-gen-go-1-5 protoc-gen-go-grpc';

/** A call of a newer grpc, and the one of Debian's. */
const replacements: readonly [string, string][] = [
  ['\t"google.golang.org/grpc/credentials/insecure"\n', ''],
  ['grpc.WithTransportCredentials(insecure.NewCredentials())', 'grpc.WithInsecure()'],
  ['grpc.NewClient(', 'grpc.Dial('],
];

it('the Go program lists documents and reads an error', { timeout: 300_000 }, async () => {
  await run('dpkg', ['--status', ...packages.split(' ')]).catch((cause) => {
    throw new Error(`missing packages: apt-get install ${packages}`, { cause });
  });
  const document = await readFile(path.join(root, 'docs/clients.md'), 'utf8');
  const section = document.slice(document.indexOf('## Go'));
  const [, buf = ''] = /```yaml\n([\s\S]*?)```/.exec(section) ?? [];
  let [, program = ''] = /```go\n([\s\S]*?)```/.exec(section) ?? [];
  for (const [newer, older] of replacements) {
    expect(program).toContain(newer);
    program = program.replace(newer, older);
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'latchkey-go-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const cwd = path.join(folder, 'src/example.com/yours');
  await mkdir(cwd, { recursive: true });
  await copyFile(path.join(root, 'gen/latchkey.binpb'), path.join(cwd, 'latchkey.binpb'));
  await writeFile(path.join(cwd, 'buf.gen.yaml'), buf);
  await writeFile(path.join(cwd, 'main.go'), program);
  const env = {
    ...process.env,
    GO111MODULE: 'off',
    GOFLAGS: '',
    GOPATH: `${folder}:${libraries}`,
    GOCACHE: path.join(folder, 'cache'),
  };
  await run(path.join(root, 'node_modules/.bin/buf'), ['generate'], { cwd, env });
  await run('go', ['build', '-o', 'yours'], { cwd, env });
  const testApp = await startTestApp();
  onTestFinished(() => testApp.remove());
  const call = (settings: Record<string, string>) =>
    run(path.join(cwd, 'yours'), [], { env: { ...testApp.env, ...settings } });

  const { stdout } = await call({});
  const refusal = await call({ API_KEY: 'wrong' }).catch(({ stderr }) => stderr);

  expect(stdout).toMatch(/^\d+\n$/);
  expect(refusal).toMatch(/ unauthenticated\n$/);
});
