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

/** Copies the files that Git knows. The packages are linked. */
async function copyTree(): Promise<string> {
  const copy = await mkdtemp(path.join(tmpdir(), 'latchkey-mutations-'));
  const known = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const { stdout } = await execute('git', known, { cwd: root, maxBuffer: 16 * 1024 * 1024 });
  for (const file of stdout.trim().split('\n')) {
    await mkdir(path.dirname(path.join(copy, file)), { recursive: true });
    await cp(path.join(root, file), path.join(copy, file));
  }
  await symlink(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  return copy;
}

/** Returns the tests that fail. */
async function failedTests(copy: string, files: readonly string[]): Promise<string[]> {
  const report = path.join(copy, 'report.json');
  await rm(report, { force: true });
  const words = ['vitest', 'run', ...files, '--reporter=json', `--outputFile=${report}`];
  await execute('npx', words, { cwd: copy, maxBuffer: 64 * 1024 * 1024 }).catch(() => undefined);
  const { testResults } = JSON.parse(await readFile(report, 'utf8'));
  return testResults.flatMap((file: { assertionResults: { status: string; fullName: string }[] }) =>
    file.assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName }) => fullName),
  );
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
