// A node with two worker processes.
import { readFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { expect, onTestFinished } from 'vitest';
import { freshPostgresDatabase } from './databases.ts';
import type { Dialect } from './matrix.ts';
import { type RunningProgram, startProgram } from './program.ts';

/** Starts a node with two workers. */
export async function startNode(
  dialect: Dialect,
  env: Record<string, string> = {},
  launcher: readonly string[] = [],
) {
  const url = dialect === 'postgres' ? await freshPostgresDatabase() : '';
  const settings = { LATCHKEY_WORKERS: '2', LATCHKEY_BOOTSTRAP: 'demo', ...env };
  const all = { ...settings, LATCHKEY_DATABASE_URL: url };
  const program = await startProgram(all, undefined, launcher);
  onTestFinished(() => program.remove());
  return program;
}

/** The process ids of the workers. */
export async function workersOf({ child }: RunningProgram): Promise<number[]> {
  const text = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
  return text.trim().split(' ').filter(Boolean).map(Number);
}

/**
 * Calls the function once for each worker. Meanwhile, the other workers are suspended, so only this
 * worker accepts connections.
 */
export async function withEachWorker<T>(
  node: RunningProgram,
  call: (pid: number) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  const workers = await workersOf(node);
  for (const pid of workers) {
    const others = workers.filter((other) => other !== pid);
    await Promise.all(others.map(suspend));
    results.push(await call(pid));
    for (const other of others) resume(other);
  }
  return results;
}

function resume(pid: number): void {
  if (isAlive(pid)) process.kill(pid, 'SIGCONT');
}

/** Suspends a process until the end of the test. Resolves when it no longer runs. */
export async function suspend(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  onTestFinished(() => resume(pid));
  const state = async () => /\) (\w)/.exec(await readFile(`/proc/${pid}/stat`, 'utf8'))?.[1];
  await expect.poll(state).toBe('T');
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The lines of the log so far. */
export function logOf(program: Pick<RunningProgram, 'stdout'>): Record<string, unknown>[] {
  const lines = program.stdout().split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

export async function readyz({ env }: RunningProgram): Promise<unknown> {
  const response = await fetch(`${env.LATCHKEY_OPS_URL}/readyz`);
  return { code: response.status, ...((await response.json()) as object) };
}

export const allReady = { code: 200, status: 'ok', workers: { ready: 2, total: 2 } };

/** Requests the keys on a new connection. */
export function requestKeys({ env }: RunningProgram): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const agent = new Agent();
    get(`${env.LATCHKEY_BASE_URL}/.well-known/jwks.json`, { agent }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode));
    }).once('error', reject);
  });
}
