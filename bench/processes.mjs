// The processes of a run: servers and load generators, ended by their ids, whatever happens.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync, truncateSync } from 'node:fs';

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
 * Starts a server in Node and waits until it says on standard error that it is ready. What it logs
 * goes to `logFile`, as an operator would have it.
 */
export async function startServer({ script, env, logFile }) {
  const log = openSync(logFile, 'a');
  const child = start(process.execPath, [script], {
    env: { ...cleanEnvironment(), ...env },
    stdio: ['ignore', log, 'pipe'],
  });
  const said = await untilReady(child, script);
  return {
    said,
    /** The most memory it ever had, in bytes. */
    peakBytes() {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
    },
    clearLog: () => truncateSync(logFile),
    stop: () => stop(child),
  };
}

function untilReady(child, script) {
  return new Promise((resolve, reject) => {
    let said = '';
    const late = setTimeout(() => reject(new Error(`${script} is not ready:\n${said}`)), startMs);
    child.stderr.setEncoding('utf8');
    child.stderr.on('data', (text) => {
      said += text;
      if (!/ready/.test(said)) return;
      clearTimeout(late);
      resolve(said);
    });
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code}:\n${said}`)));
  });
}

/** Both sides run on Node's and our own defaults, whatever is set here. */
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

/** Runs a load generator to its end and returns what it printed. */
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
