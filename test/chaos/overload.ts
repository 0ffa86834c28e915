// Many more callers than the service can serve: a call costs little more processor time than under
// the best load, and the operations port and new connections are answered soon.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Check, Trial } from '../support/campaign.ts';
import { processorSecondsOf, type RunningProgram, startProgram } from '../support/program.ts';
import type { OverloadCounts, OverloadJob } from './overload-callers.ts';

const connectionCounts = [64, 320, 1_000, 4_000];
/**
 * Tokens for each second of processor time, as a share of the best load. Tokens for each second of
 * the clock would also measure the callers, which share the processors with the service.
 */
const goodputShareMin = 0.65;
const readyMsMax = 50;
/** Without the admission of calls, new connections wait 4 seconds. */
const newConnectionMsMax = 200;

export const overloadCheck: Check = {
  name: 'overload',
  secondsMax: [120, 300],
  run: overload,
};

async function overload(trial: Trial): Promise<void> {
  const program = await startProgram({ LATCHKEY_BOOTSTRAP: 'demo', LATCHKEY_LOG_LEVEL: 'error' });
  trial.onEnd(() => program.remove());
  const seconds = trial.isShort ? 4 : 15;
  // The first calls start the signature thread and compile the code.
  await measure(program, 64, 2);
  const results: Result[] = [];
  for (const connections of connectionCounts) {
    results.push(await measure(program, connections, seconds));
  }
  const best = Math.max(...results.map(({ perProcessorSecond }) => perProcessorSecond));
  for (const result of results) {
    const { connections, perSecond, perProcessorSecond, failed, readyMs, keysMs } = result;
    const share = perProcessorSecond / best;
    trial.figure(
      `${connections} connections`,
      `${Math.round(perSecond)}/s, goodput ${share.toFixed(2)}, ` +
        `/readyz ${readyMs.toFixed(0)} ms, ` +
        `JWKS on a new connection ${keysMs.toFixed(0)} ms, ${failed} refused`,
    );
    const name = `with ${connections} connections`;
    if (Number.isNaN(readyMs) || Number.isNaN(keysMs)) trial.fail(`${name}, a request failed`);
    // A machine that runs CI may be busy, so there the figures are only printed.
    if (trial.isShort) continue;
    if (share < goodputShareMin) trial.fail(`${name}, goodput is ${share.toFixed(2)} of the best`);
    if (!(readyMs <= readyMsMax)) trial.fail(`${name}, /readyz needs ${readyMs} ms`);
    if (!(keysMs <= newConnectionMsMax)) trial.fail(`${name}, a new connection waits ${keysMs} ms`);
  }
}

type Result = {
  readonly connections: number;
  /** Issued tokens. */
  readonly perSecond: number;
  /** Issued tokens for each second of the service's processor time. */
  readonly perProcessorSecond: number;
  readonly failed: number;
  /** Medians. */
  readonly readyMs: number;
  readonly keysMs: number;
};

async function measure(
  { env, child }: RunningProgram,
  connections: number,
  seconds: number,
): Promise<Result> {
  const job: OverloadJob = {
    url: `${env.LATCHKEY_BASE_URL}/tokens`,
    body: JSON.stringify({
      client_id: env.CLIENT_ID,
      client_secret: env.CLIENT_SECRET,
      scope: 'payments:read',
    }),
    connections,
    seconds,
  };
  const callers = fork(path.join(import.meta.dirname, 'overload-callers.ts'), {
    execArgv: ['--import', import.meta.resolve('tsx')],
  });
  callers.send(job);
  await once(callers, 'message');
  const pid = child.pid ?? 0;
  const processorBefore = processorSecondsOf(pid);
  const counted = once(callers, 'message');
  let isOver = false;
  let processorSeconds = 0;
  const ended = counted.finally(() => {
    processorSeconds = processorSecondsOf(pid) - processorBefore;
    isOver = true;
  });
  const isDone = () => isOver;
  const ops = new Agent({ keepAlive: true });
  const [readyMs, keysMs] = await Promise.all([
    medianTime(`${env.LATCHKEY_OPS_URL}/readyz`, ops, isDone),
    medianTime(`${env.LATCHKEY_BASE_URL}/.well-known/jwks.json`, new Agent(), isDone),
  ]);
  const [{ served, failed }] = (await ended) as [OverloadCounts];
  ops.destroy();
  const perSecond = served / seconds;
  const perProcessorSecond = served / processorSeconds;
  return { connections, perSecond, perProcessorSecond, failed, readyMs, keysMs };
}

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
