// Records profiles of the main threads of servers, and groups the time by the source of the code.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { SourceMap } from 'node:module';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { groupOf } from './groups.mjs';

const writeMs = 20_000;

/** The environment variables of a server whose main thread can be profiled. */
export const profileEnvironment = (file) => ({
  NODE_OPTIONS: `--import=${path.join(import.meta.dirname, 'preload.mjs')}`,
  BENCH_PROFILE_FILE: file,
});

/** Runs a load. Returns the microseconds per request of each group. */
export async function recordProfile(server, run) {
  rmSync(server.profileFile, { force: true });
  server.signal('SIGUSR2');
  const { requests } = await run();
  server.signal('SIGUSR2');
  const deadline = Date.now() + writeMs;
  while (!existsSync(server.profileFile)) {
    if (Date.now() > deadline) throw new Error(`there is no profile in ${server.profileFile}`);
    await sleep(50);
  }
  const profile = JSON.parse(readFileSync(server.profileFile, 'utf8'));
  const micros = Object.entries(microsByGroup(profile, server.root));
  return { micros: Object.fromEntries(micros.map(([name, total]) => [name, total / requests])) };
}

/** The self time of all functions by group, without the idle time. */
function microsByGroup({ nodes, samples, timeDeltas }, root) {
  const self = new Map();
  for (const [i, id] of samples.entries()) self.set(id, (self.get(id) ?? 0) + timeDeltas[i]);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const sourceOf = createSourceFinder(root);
  const totals = {};
  const visit = (node, inherited) => {
    const { functionName } = node.callFrame;
    const group = ofV8.get(functionName) ?? groupOf(sourceOf(node.callFrame)) ?? inherited;
    const micros = self.get(node.id) ?? 0;
    if (!excluded.has(functionName)) totals[group] = (totals[group] ?? 0) + micros;
    for (const id of node.children ?? []) visit(byId.get(id), group);
  };
  visit(nodes[0], 'other');
  return totals;
}

/** Waiting, and the start of the profiler itself. */
const excluded = new Set(['(idle)', 'dispatch']);
const ofV8 = new Map([
  ['(garbage collector)', 'garbage collector'],
  // Native code that no JavaScript calls, such as the event loop and its reads.
  ['(program)', 'Node: event loop'],
]);

/** Finds the source file of a function, relative to `root`. */
function createSourceFinder(root) {
  const maps = new Map();
  const mapOf = (file) => {
    if (!maps.has(file)) maps.set(file, readMap(`${file}.map`));
    return maps.get(file);
  };
  return ({ url, lineNumber, columnNumber }) => {
    if (!url.startsWith('file:')) return url;
    const file = fileURLToPath(url);
    const source = mapOf(file)?.findEntry(lineNumber, columnNumber).originalSource;
    return path.relative(root, source === undefined ? file : path.resolve(file, '..', source));
  };
}

const readMap = (file) =>
  existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8'))) : undefined;

/** Each profile is `{name, micros}`. */
export function profileTable(title, profiles) {
  const groups = [...new Set(profiles.flatMap(({ micros }) => Object.keys(micros)))];
  const last = profiles.at(-1).micros;
  groups.sort((a, b) => (last[b] ?? 0) - (last[a] ?? 0));
  const rows = groups.map((group) => [group, ...profiles.map(({ micros }) => micros[group] ?? 0)]);
  const sums = profiles.map(({ micros }) => Object.values(micros).reduce((sum, x) => sum + x, 0));
  const head = [`${title}, main thread, µs per request`, ...profiles.map(({ name }) => name)];
  return [head, ...[...rows, ['all', ...sums]].map(textsOf)].map(lineOf).join('\n');
}

const textsOf = ([name, ...numbers]) => [name, ...numbers.map((micros) => micros.toFixed(1))];
const lineOf = ([name, ...cells]) =>
  [`  ${name.padEnd(46)}`, ...cells.map((cell) => cell.padStart(12))].join('');
