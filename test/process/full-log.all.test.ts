// The program writes its output to a full disk.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseEnv } from '../support/harness.ts';
import { spawnProgram } from '../support/program.ts';
import { mayMount, mountDisk } from '../support/small-disk.ts';
import { allReady, readyz, requestKeys, startNode, workersOf } from '../support/worker-node.ts';

/** Runs the program with standard output, or the output `fd`, in a file. */
const into = (file: string, fd = 1) => ['/bin/sh', '-c', `exec "$0" "$@" ${fd}>> ${file}`];

async function droppedLines(opsUrl: string): Promise<number> {
  const text = await (await fetch(`${opsUrl}/metrics`)).text();
  return Number(/^latchkey_log_lines_dropped_total (\d+)$/m.exec(text)?.[1]);
}

describe('a node with workers whose log is on a full disk', () => {
  test('serves calls without replacing workers, and counts the dropped lines', async () => {
    const node = await startNode('sqlite', {}, into('/dev/full'));
    const workers = await workersOf(node);

    for (let i = 0; i < 6; i++) expect(await requestKeys(node)).toBe(200);

    const dropped = () => droppedLines(node.env.LATCHKEY_OPS_URL);
    await expect.poll(dropped).toBeGreaterThanOrEqual(6);
    expect(await readyz(node)).toMatchObject(allReady);
    expect(await workersOf(node)).toEqual(workers);
    node.child.kill('SIGTERM');
    expect(await node.ended).toBe(0);
  });

  test.runIf(mayMount())('reports the dropped lines once there is space again', async () => {
    const disk = mountDisk('1m');
    onTestFinished(() => disk.unmount());
    const file = path.join(disk.folder, 'log');
    const node = await startNode('sqlite', {}, into(file));
    disk.fill();
    const dropped = () => droppedLines(node.env.LATCHKEY_OPS_URL);
    await expect
      .poll(async () => (await requestKeys(node)) === 200 && dropped())
      .toBeGreaterThanOrEqual(6);

    disk.empty();

    const lines = () => readFileSync(file, 'utf8').split('\n');
    const reports = () => lines().filter((line) => line.includes('"dropped_lines":'));
    await expect.poll(async () => (await requestKeys(node)) === 200 && reports()).not.toEqual([]);
    await node.kill();
  });
});

test('a service whose standard error is on a full disk serves calls', async () => {
  const program = await spawnProgram({}, undefined, undefined, into('/dev/full', 2));
  onTestFinished(() => program.remove());
  const file = path.join(program.dataDir, 'bootstrap.env');
  const opsUrl = () => {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    return parseEnv(text).LATCHKEY_OPS_URL;
  };
  await expect.poll(opsUrl).toMatch(/^http/);

  // The text on standard error follows soon after the addresses in the file.
  for (let i = 0; i < 10; i++) {
    expect((await fetch(`${opsUrl()}/healthz`)).status).toBe(200);
    await sleep(100);
  }

  program.child.kill('SIGTERM');
  expect(await program.ended).toBe(0);
});
