// Runs the tests and prints where their time goes. Arguments are those of vitest.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { JsonTestResults } from 'vitest/reporters';
import type { FileTimes } from './record.ts';

const root = path.resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(path.join(tmpdir(), 'latchkey-times-'));
const results = path.join(folder, 'results.json');
const times = path.join(folder, 'times.jsonl');

/** Processor seconds of all processes that this one has waited for, directly or indirectly. */
function childSeconds(): number {
  // proc(5): cutime and cstime are the fields 16 and 17, in clock ticks of 10 ms.
  const [, rest = ''] = readFileSync('/proc/self/stat', 'utf8').split(') ');
  const fields = rest.split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

const started = performance.now();
const vitest = spawn(
  'npx',
  [
    ...['vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${results}`],
    ...process.argv.slice(2),
  ],
  { cwd: root, stdio: 'inherit', env: { ...process.env, LATCHKEY_TEST_TIMES: times } },
);
const [status] = await once(vitest, 'close');
const wallSeconds = (performance.now() - started) / 1000;

const report: JsonTestResults = JSON.parse(readFileSync(results, 'utf8'));
const tests = new Map(
  report.testResults.map(({ name, assertionResults }) => [name, assertionResults.length]),
);
const files = readFileSync(times, 'utf8')
  .trim()
  .split('\n')
  .map((line): FileTimes => JSON.parse(line));

type Group = { name: string; members: readonly FileTimes[] };

const sum = (members: readonly FileTimes[], key: Exclude<keyof FileTimes, 'file'>) =>
  members.reduce((total, one) => total + one[key], 0);

function rowOf({ name, members }: Group) {
  return {
    name,
    files: members.length,
    tests: members.reduce((total, { file }) => total + (tests.get(file) ?? 0), 0),
    'wall s': Math.round(sum(members, 'wallMs') / 1000),
    'worker cpu s': Math.round(sum(members, 'cpuMs') / 1000),
    apps: sum(members, 'apps'),
    databases: sum(members, 'databases'),
    processes: sum(members, 'processes'),
    contexts: sum(members, 'contexts'),
  };
}

/** The folder below test/, or the file itself. */
const areaOf = (file: string) => path.relative(path.join(root, 'test'), file).split('/')[0] ?? '';

const areas = new Set(files.map(({ file }) => areaOf(file)));
const membersOf = (area: string) => files.filter(({ file }) => areaOf(file) === area);
const slowest = files.toSorted((a, b) => b.wallMs - a.wallMs).slice(0, 25);
const bySpent = (a: { 'wall s': number }, b: { 'wall s': number }) => b['wall s'] - a['wall s'];
console.table([...areas].map((name) => rowOf({ name, members: membersOf(name) })).sort(bySpent));
console.table(slowest.map((one) => rowOf({ name: path.relative(root, one.file), members: [one] })));
console.table([rowOf({ name: 'all', members: files })]);
console.log(
  `${wallSeconds.toFixed(0)} s on the clock, ${childSeconds().toFixed(0)} s of processor time`,
);
rmSync(folder, { recursive: true });
process.exitCode = Number(status);
