// Measures how long the service takes to start, and its memory at rest.
import { mkdtemp } from 'node:fs/promises';
import { get } from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './nginx.mjs';
import { startPostgres } from './postgres.mjs';
import { startProgram } from './processes.mjs';
import { medianOf, otherBuild, ours, verdictOf } from './report.mjs';
import { environmentOf, programOf } from './service.mjs';
import { machineMicros, ownMicros } from './usage.mjs';

const kinds = ['new', 'existing'];
const readyMsMax = 700;
const restBytesMax = 130e6;
/** The memory is at rest when it changes by less than a hundredth within `steadyMs`. */
const restMs = 10_000;
const steadyMs = 3_000;

async function measure(parent, { rounds: starts, other }) {
  const builds = [{ name: ours }];
  if (other !== undefined) builds.unshift({ name: otherBuild, build: other });
  const postgres = await startPostgres();
  const verdicts = [];
  try {
    for (const [database, createDatabase] of [
      ['SQLite', () => undefined],
      ['PostgreSQL', postgres.createDatabase],
    ]) {
      process.stdout.write(`start, ${database} `);
      const runs = await startAll(parent, builds, starts, createDatabase);
      process.stdout.write('\n');
      for (const kind of kinds) {
        const of = ({ name }) => runs.filter((run) => run.name === name && run.kind === kind);
        const [verdict, ...others] = builds
          .toReversed()
          .map((build) => verdictFor(`start, ${kind} ${database} database`, of(build)));
        verdicts.push(verdict);
        verdict.lines.push(
          ...others.flatMap(({ lines }) => lines.map((line) => `      ${otherBuild}: ${line}`)),
        );
      }
    }
  } finally {
    await postgres.stop();
  }
  return {
    lines: verdicts.flatMap(({ lines }) => lines),
    passed: verdicts.every(({ passed }) => passed),
  };
}

/** Starts the builds in turn, each on a new and then on the same, existing database. */
async function startAll(parent, builds, starts, createDatabase) {
  const runs = [];
  for (let i = 0; i < starts; i++) {
    for (const { name, build } of builds) {
      const folder = await mkdtemp(path.join(parent, 'start-'));
      const url = await createDatabase();
      for (const kind of kinds) {
        runs.push({ name, kind, ...(await startOnce(folder, url, build)) });
        process.stdout.write('.');
      }
    }
  }
  return runs;
}

/** Starts the service on the folder, waits until its memory is at rest, and stops it. */
async function startOnce(folder, url, build) {
  const ops = `127.0.0.1:${await freePort()}`;
  const begun = performance.now();
  const before = machineMicros() - ownMicros();
  const server = await startProgram({
    command: process.execPath,
    args: [programOf(build), 'serve'],
    env: {
      ...environmentOf(path.join(folder, 'data')),
      LATCHKEY_OPS_ADDRESS: ops,
      ...(url !== undefined && { LATCHKEY_DATABASE_URL: url }),
    },
    logFile: path.join(folder, 'service.log'),
    isReady: () => getReady(`http://${ops}/readyz`),
    pollMs: 2,
  });
  const readyMs = performance.now() - begun;
  const { micros, mains } = server.usage();
  const others = (machineMicros() - ownMicros() - before - micros) / 1000 / readyMs;
  const mainMicros = Object.values(mains).reduce((sum, x) => sum + x, 0);
  const restBytes = await untilAtRest(server);
  const anonymousBytes = server.anonymousBytes();
  await server.stop();
  const [cpuMs, mainMs] = [micros / 1000, mainMicros / 1000];
  return { readyMs, cpuMs, mainMs, others, restBytes, anonymousBytes };
}

/** Resolves to the address when it answers 200; to undefined if it does not answer yet. */
function getReady(url) {
  return new Promise((resolve) => {
    const request = get(url, { agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200 ? url : undefined);
    });
    request.once('error', () => resolve(undefined));
  });
}

async function untilAtRest(server) {
  const deadline = performance.now() + restMs;
  let since = performance.now();
  let steady = server.residentBytes();
  while (performance.now() < deadline && performance.now() - since < steadyMs) {
    await sleep(100);
    const bytes = server.residentBytes();
    if (Math.abs(bytes - steady) > steady / 100) {
      steady = bytes;
      since = performance.now();
    }
  }
  return server.residentBytes();
}

function verdictFor(name, runs) {
  const of = (key) => medianOf(runs, key);
  const slowest = Math.max(...runs.map(({ readyMs }) => readyMs));
  const inMs = (ms) => `${Math.round(ms)} ms`;
  const inMB = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
  return verdictOf(name, [
    {
      passed: of('readyMs') <= readyMsMax,
      text:
        `ready after ${inMs(of('readyMs'))} (target <= ${readyMsMax} ms), the slowest of ` +
        `${runs.length} after ${inMs(slowest)}; processor time ${inMs(of('cpuMs'))}, ` +
        `of the main thread ${inMs(of('mainMs'))}; ` +
        `other programs used ${of('others').toFixed(2)} cores`,
    },
    {
      passed: of('restBytes') <= restBytesMax,
      text:
        `${inMB(of('restBytes'))} at rest (target <= ${inMB(restBytesMax)}), ` +
        `without the content of files ${inMB(of('anonymousBytes'))}`,
    },
  ]);
}

export const start = { name: 'start', defaults: { rounds: 10, seconds: 0 }, measure };
