// Many more callers than the service can serve: a call costs little more processor time than under
// the best load, and the operations port and new connections are answered soon. Many connections
// also cost a bare node:http server more processor time, so the campaign prints its figures, too.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Check, Trial } from '../support/campaign.ts';
import { processorSecondsOf, type RunningProgram, startProgram } from '../support/program.ts';
import type { OverloadCounts, OverloadJob } from './overload-callers.ts';

const connectionCounts = [64, 320, 1_000, 4_000];
const shortConnectionCounts = [64, 1_000];
/**
 * Tokens for each second of processor time, as a share of the best load. Tokens for each second of
 * the clock would also measure the callers, which share the processors with the service.
 */
const goodputShareMin = 0.65;
/** The same share, divided by that of a bare node:http server in the same run. */
const floorRatioMin = 0.7;
const readyMsMax = 50;
/** Without the admission of calls, new connections wait 4 seconds. */
const newConnectionMsMax = 200;

export const overloadCheck: Check = {
  name: 'overload',
  secondsMax: [90, 300],
  run: overload,
};

async function overload(trial: Trial): Promise<void> {
  const program = await startProgram({ LATCHKEY_BOOTSTRAP: 'demo', LATCHKEY_LOG_LEVEL: 'error' });
  trial.onEnd(() => program.remove());
  const floor = await startFloor(trial, program);
  const service: Target = {
    url: `${program.env.LATCHKEY_BASE_URL}/tokens`,
    pid: program.child.pid ?? 0,
    body: tokenRequestOf(program),
  };
  const seconds = trial.isShort ? 3 : 15;
  const watch = (isDone: () => boolean) => watchCalls(program, isDone);
  const results: { connections: number; ours: Load & Waits; floor: Load }[] = [];
  // The first calls start the signature thread and compile the code.
  await measureLoad(service, 64, 2, watchNothing);
  await measureLoad(floor, 64, 2, watchNothing);
  for (const connections of trial.isShort ? shortConnectionCounts : connectionCounts) {
    const ours = await measureLoad(service, connections, seconds, watch);
    const ofFloor = await measureLoad(floor, connections, seconds, watchNothing);
    results.push({ connections, ours, floor: ofFloor });
  }
  const best = Math.max(...results.map(({ ours }) => ours.perProcessorSecond));
  const floorBest = Math.max(...results.map((result) => result.floor.perProcessorSecond));
  for (const { connections, ours, floor } of results) {
    const { perSecond, perProcessorSecond, failed, readyMs, keysMs } = ours;
    const share = perProcessorSecond / best;
    const floorShare = floor.perProcessorSecond / floorBest;
    trial.figure(
      `${connections} connections`,
      `${Math.round(perSecond)}/s, ${Math.round(1e6 / perProcessorSecond)} µs of processor time, ` +
        `goodput ${share.toFixed(2)} (bare node:http ${floorShare.toFixed(2)}), ` +
        `/readyz ${readyMs.toFixed(0)} ms, ` +
        `JWKS on a new connection ${keysMs.toFixed(0)} ms, ${failed} refused`,
    );
    const name = `with ${connections} connections`;
    if (Number.isNaN(readyMs) || Number.isNaN(keysMs)) trial.fail(`${name}, a request failed`);
    // A machine that runs CI may be busy, so there the figures are only printed.
    if (trial.isShort) continue;
    if (share < goodputShareMin) trial.fail(`${name}, goodput is ${share.toFixed(2)} of the best`);
    if (share / floorShare < floorRatioMin) {
      trial.fail(`${name}, goodput is ${share.toFixed(2)}, node:http has ${floorShare.toFixed(2)}`);
    }
    if (!(readyMs <= readyMsMax)) trial.fail(`${name}, /readyz needs ${readyMs} ms`);
    if (!(keysMs <= newConnectionMsMax)) trial.fail(`${name}, a new connection waits ${keysMs} ms`);
  }
}

type Target = { readonly url: string; readonly pid: number; readonly body: string };

type Load = {
  /** Issued tokens. */
  readonly perSecond: number;
  /** Issued tokens for each second of the server's processor time. */
  readonly perProcessorSecond: number;
  readonly failed: number;
};

/** Medians. */
type Waits = { readonly readyMs: number; readonly keysMs: number };

function tokenRequestOf({ env }: RunningProgram): string {
  const { CLIENT_ID: client_id, CLIENT_SECRET: client_secret } = env;
  return JSON.stringify({ client_id, client_secret, scope: 'payments:read' });
}

/** Starts a node:http server that does only the work of a token request. */
async function startFloor(trial: Trial, program: RunningProgram): Promise<Target> {
  const { CLIENT_ID: id, CLIENT_SECRET: secret, LATCHKEY_BASE_URL: issuer } = program.env;
  const settings = {
    file: path.join(program.dataDir, 'floor.db'),
    client: { id, secret },
    customer: { key: program.env.API_KEY },
    issuer,
    jwks: { keys: [] },
  };
  const floor = fork(path.join(import.meta.dirname, '../../bench/floors/http.mjs'), {
    env: { ...process.env, FLOOR_SETTINGS: JSON.stringify(settings) },
    silent: true,
  });
  trial.onEnd(() => floor.kill());
  const port = await readPort(floor);
  return {
    url: `http://127.0.0.1:${port}/tokens`,
    pid: floor.pid ?? 0,
    body: tokenRequestOf(program),
  };
}

async function readPort({ stderr }: ChildProcess): Promise<number> {
  let text = '';
  for await (const chunk of stderr ?? []) {
    text += chunk;
    const port = /ready: (\d+)/.exec(text)?.[1];
    if (port !== undefined) return Number(port);
  }
  throw new Error(`The floor did not start: ${text}`);
}

/** The times of calls on the operations port and on new connections, until the load ends. */
async function watchCalls({ env }: RunningProgram, isDone: () => boolean): Promise<Waits> {
  const ops = new Agent({ keepAlive: true });
  const [readyMs, keysMs] = await Promise.all([
    medianTime(`${env.LATCHKEY_OPS_URL}/readyz`, ops, isDone),
    medianTime(`${env.LATCHKEY_BASE_URL}/.well-known/jwks.json`, new Agent(), isDone),
  ]);
  ops.destroy();
  return { readyMs, keysMs };
}

/** Calls `watch` when all connections have got their first answer. */
async function measureLoad<T>(
  { url, pid, body }: Target,
  connections: number,
  seconds: number,
  watch: (isDone: () => boolean) => Promise<T>,
): Promise<Load & T> {
  const job: OverloadJob = { url, body, connections, seconds };
  const callers = fork(path.join(import.meta.dirname, 'overload-callers.ts'), {
    execArgv: ['--import', import.meta.resolve('tsx')],
  });
  callers.send(job);
  await once(callers, 'message');
  const processorBefore = processorSecondsOf(pid);
  const counted = once(callers, 'message');
  let isOver = false;
  let processorSeconds = 0;
  const ended = counted.finally(() => {
    processorSeconds = processorSecondsOf(pid) - processorBefore;
    isOver = true;
  });
  const watched = await watch(() => isOver);
  const [{ served, failed }] = (await ended) as [OverloadCounts];
  const perProcessorSecond = served / processorSeconds;
  return { perSecond: served / seconds, perProcessorSecond, failed, ...watched };
}

const watchNothing = async () => ({});

/** Requests the address until the load ends. NaN if a request fails. */
async function medianTime(url: string, agent: Agent, isDone: () => boolean): Promise<number> {
  const times: number[] = [];
  while (!isDone()) {
    const started = performance.now();
    const status = await statusOf(url, agent);
    times.push(status === 200 ? performance.now() - started : Number.NaN);
    await sleep(50);
  }
  if (times.some(Number.isNaN)) return Number.NaN;
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}

function statusOf(url: string, agent: Agent): Promise<number | undefined> {
  return new Promise((resolve) => {
    get(url, { agent }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode));
    }).once('error', () => resolve(undefined));
  });
}
