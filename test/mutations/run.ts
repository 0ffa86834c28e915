// Applies each mutation to a copy of this tree, and runs the tests of the default tier that have
// to catch it:
//   npm run test:mutations [-- <text in the name>]
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Mutation, mutations } from './list.ts';

const execute = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');

/** Copies the files that Git knows. The packages and the downloaded files are linked. */
async function copyTree(): Promise<string> {
  const copy = await mkdtemp(path.join(tmpdir(), 'latchkey-mutations-'));
  const known = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const { stdout } = await execute('git', known, { cwd: root, maxBuffer: 16 * 1024 * 1024 });
  for (const file of stdout.trim().split('\n')) {
    await mkdir(path.dirname(path.join(copy, file)), { recursive: true });
    await cp(path.join(root, file), path.join(copy, file));
  }
  for (const folder of ['node_modules', '.cache']) {
    await symlink(path.join(root, folder), path.join(copy, folder));
  }
  return copy;
}

type Report = {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
};

/** Returns the tests that fail. Throws if a file could not run, which proves nothing. */
async function failedTests(copy: string, files: readonly string[]): Promise<string[]> {
  const report = path.join(copy, 'report.json');
  await rm(report, { force: true });
  const words = ['vitest', 'run', ...files, '--reporter=json', `--outputFile=${report}`];
  await execute('npx', words, { cwd: copy, maxBuffer: 64 * 1024 * 1024 }).catch(() => undefined);
  const { testResults } = JSON.parse(await readFile(report, 'utf8')) as Report;
  return testResults.flatMap((file) => {
    const failed = file.assertionResults.filter(({ status }) => status === 'failed');
    if (file.status === 'failed' && failed.length === 0) {
      throw new Error(`${file.name} could not run: ${file.message}`);
    }
    return failed.map(({ fullName }) => fullName);
  });
}

async function tryMutation(copy: string, { file, from, to, tests }: Mutation): Promise<string[]> {
  const target = path.join(copy, file);
  const source = await readFile(target, 'utf8');
  if (source.split(from).length !== 2) throw new Error(`${file} must have this text once: ${from}`);
  await writeFile(
    target,
    source.replace(from, () => to),
  );
  try {
    return await failedTests(copy, tests);
  } finally {
    await writeFile(target, source);
  }
}

const [text = ''] = process.argv.slice(2);
const copy = await copyTree();
try {
  console.log('| Mutation | Tests that fail | For example |\n|---|---|---|');
  for (const mutation of mutations.filter(({ name }) => name.includes(text))) {
    const failed = await tryMutation(copy, mutation);
    console.log(`| ${mutation.name} | ${failed.length} | ${failed[0] ?? '**none**'} |`);
    if (failed.length === 0) process.exitCode = 1;
  }
} finally {
  await rm(copy, { recursive: true, force: true });
}
