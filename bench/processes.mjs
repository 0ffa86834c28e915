// Starts servers and load generators, and ends them by their process ids.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { childrenOf, usageOf } from './usage.mjs';

const running = new Set();
const startMs = 20_000;
const stopMs = 5_000;

function start(command, args, options) {
  const child = spawn(command, args, options);
  running.add(child);
  child.once('exit', () => running.delete(child));
  child.once('error', () => running.delete(child));
  return child;
}

/**
 * Starts a server in Node and waits until it prints on standard error that it is ready. Its log
 * goes to `logFile`, as in production.
 */
export function startServer({ script, words = [], env, logFile }) {
  const isReady = (said) => (/ready/.test(said) ? said : undefined);
  return startProgram({
    command: process.execPath,
    args: [script, ...words],
    env,
    logFile,
    isReady,
  });
}

/**
 * Starts any program. `isReady` gets the output so far and returns undefined until it is ready. It
 * is called every `pollMs`.
 */
export async function startProgram({ command, args, env, logFile, isReady, pollMs = 20 }) {
  const log = openSync(logFile, 'a');
  const child = start(command, args, {
    env: { ...cleanEnvironment(), ...env },
    stdio: ['ignore', log, 'pipe'],
  });
  const said = await untilReady(child, [command, ...args].join(' '), isReady, pollMs);
  return {
    said,
    /** The peak memory of the program and its children, in bytes. */
    peakBytes: () => memoryOf(child.pid, 'VmHWM'),
    /** The current memory of the program and its children, in bytes. */
    residentBytes: () => memoryOf(child.pid, 'VmRSS'),
    /** The part of it that is not the content of files, such as the program itself. */
    anonymousBytes: () => memoryOf(child.pid, 'RssAnon'),
    /** The processor time of the program and its children: see usage.mjs. */
    usage: () => usageOf(child.pid),
    /** Resets the peak to the current memory. */
    resetPeak: () => writeFileSync(`/proc/${child.pid}/clear_refs`, '5'),
    clearLog: () => truncateSync(logFile),
    signal: (name) => child.kill(name),
    stop: () => stop(child),
  };
}

function memoryOf(pid, field) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kB = Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]);
  const ofChildren = childrenOf(pid).map((id) => memoryOf(id, field));
  return ofChildren.reduce((sum, bytes) => sum + bytes, kB * 1024);
}

async function untilReady(child, name, isReady, pollMs) {
  let said = '';
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (text) => {
    said += text;
  });
  const deadline = Date.now() + startMs;
  while (Date.now() < deadline && child.exitCode === null && child.signalCode === null) {
    const answer = await isReady(said);
    if (answer !== undefined) return answer;
    await sleep(pollMs);
  }
  throw new Error(`${name} is not ready:\n${said}`);
}

/** Removes settings of Node and of the service, so that all servers use the defaults. */
function cleanEnvironment() {
  const entries = Object.entries(process.env);
  return Object.fromEntries(entries.filter(([name]) => !/^(LATCHKEY|NODE|UV)_/.test(name)));
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), stopMs);
  await exited;
  clearTimeout(late);
}

export async function stopAll() {
  await Promise.all([...running].map(stop));
}

/** Runs a load generator and returns its output. */
export async function runTool(command, args) {
  const child = start(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${command} ended with ${code}:\n${output}${errors}`);
  return output;
}
