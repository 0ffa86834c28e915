// Records profiles of the main threads of servers, and groups the time by the source of the code.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { SourceMap } from 'node:module';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { groupOf } from './groups.mjs';

const writeMs = 20_000;

/**
 * The environment variables of a server whose main thread can be profiled: its time, or with the
 * kind `heap` its allocations.
 */
export const profileEnvironment = (file, kind = 'time') => ({
  NODE_OPTIONS: `--import=${path.join(import.meta.dirname, 'preload.mjs')}`,
  BENCH_PROFILE_FILE: file,
  BENCH_PROFILE_KIND: kind,
});

/** Runs a load. Returns the number of requests and the microseconds of each group. */
export async function recordProfile(server, run) {
  const { requests, profile } = await record(server, run);
  return { requests, micros: microsByGroup(profile, server.root) };
}

/** Runs a load. Returns the bytes of the main thread's heap that a request allocates. */
export async function recordAllocations(server, run) {
  const { requests, profile } = await record(server, run);
  const bytesIn = ({ selfSize, children }) =>
    children.reduce((sum, child) => sum + bytesIn(child), selfSize);
  return bytesIn(profile.head) / requests;
}

async function record(server, run) {
  rmSync(server.profileFile, { force: true });
  server.signal('SIGUSR2');
  const { requests } = await run();
  server.signal('SIGUSR2');
  const deadline = Date.now() + writeMs;
  while (!existsSync(server.profileFile)) {
    if (Date.now() > deadline) throw new Error(`there is no profile in ${server.profileFile}`);
    await sleep(50);
  }
  return { requests, profile: JSON.parse(readFileSync(server.profileFile, 'utf8')) };
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
    const group = groupOf(functionName, sourceOf(node.callFrame), inherited);
    const micros = self.get(node.id) ?? 0;
    if (!excluded.has(functionName)) totals[group] = (totals[group] ?? 0) + micros;
    for (const id of node.children ?? []) visit(byId.get(id), group);
  };
  visit(nodes[0], 'other');
  return totals;
}

/** Waiting, and the start of the profiler itself. */
const excluded = new Set(['(idle)', 'dispatch']);

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

/** Each profile is `{name, rounds}`. A round is a result of `recordProfile`. */
export function profileTable(title, profiles) {
  const columns = profiles.map(({ rounds }) => microsPerRequest(rounds));
  const groups = [...new Set(columns.flatMap((column) => [...column.keys()]))];
  const last = columns.at(-1);
  groups.sort((a, b) => (last.get(b) ?? 0) - (last.get(a) ?? 0));
  const rows = groups.map((group) => [group, ...columns.map((column) => column.get(group) ?? 0)]);
  const sums = columns.map((column) => [...column.values()].reduce((sum, x) => sum + x, 0));
  const head = [`${title}, main thread, µs per request`, ...profiles.map(({ name }) => name)];
  return [head, ...[...rows, ['all', ...sums]].map(textsOf)].map(lineOf).join('\n');
}

function microsPerRequest(rounds) {
  const all = rounds.reduce((sum, { requests }) => sum + requests, 0);
  const column = new Map();
  for (const [group, micros] of rounds.flatMap((round) => Object.entries(round.micros))) {
    column.set(group, (column.get(group) ?? 0) + micros / all);
  }
  return column;
}

const textsOf = ([name, ...numbers]) => [name, ...numbers.map((micros) => micros.toFixed(1))];
const lineOf = ([name, ...cells]) =>
  [`  ${name.padEnd(46)}`, ...cells.map((cell) => cell.padStart(12))].join('');
