import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type Leases, type LeasesOptions, startLeases } from '../../src/storage/upkeep/leases.ts';
import { startPeriodicTask } from '../../src/storage/upkeep/periodic-task.ts';
import { migratedDatabaseUrl, openUntilFinished } from '../support/databases.ts';
import { describeDialects } from '../support/matrix.ts';
import { itHoldsFor } from '../support/rule.ts';

async function open(url: string, options: Partial<LeasesOptions> = {}): Promise<Leases> {
  const db = await openUntilFinished(url);
  const leases = startLeases({ db, onError: () => {}, everyMs: 20, ...options });
  onTestFinished(() => leases.stop());
  return leases;
}

/** Starts a process that runs lease-job.ts. */
async function spawnJob(url: string, ...duration: string[]) {
  const file = path.resolve(import.meta.dirname, '../support/lease-job.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', file, url, ...duration], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const lines = () => text.split('\n').slice(0, -1);
  await expect.poll(lines, { timeout: 30_000 }).toContain('ready');
  return {
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    ended: once(child, 'close'),
    rounds: () => lines().filter((line) => line === 'round').length,
    ends: () => lines().filter((line) => line === 'end').length,
  };
}

describeDialects('a lease', (dialect) => {
  it('is held by one of three processes, and by another one after a clean stop', async () => {
    const url = await migratedDatabaseUrl(dialect);
    const running = new Set<number>();
    const overlaps: number[][] = [];
    const tasks = await Promise.all(
      [0, 1, 2].map(async (process) => {
        const leases = await open(url);
        return startPeriodicTask({
          pauseMs: 1,
          lease: leases.lease('job'),
          async round(signal) {
            running.add(process);
            if (running.size > 1) overlaps.push([...running]);
            await new Promise<void>((resolve) => {
              signal.addEventListener('abort', () => resolve());
            });
            running.delete(process);
          },
          onError: (error) => expect.unreachable(String(error)),
        });
      }),
    );
    onTestFinished(async () => void (await Promise.all(tasks.map((task) => task.stop()))));

    const order: number[] = [];
    while (order.length < 3) {
      await expect.poll(() => running.size).toBe(1);
      const [holder = -1] = running;
      order.push(holder);
      await tasks[holder]?.stop();
    }

    expect(order.sort()).toEqual([0, 1, 2]);
    expect(overlaps).toEqual([]);
  });

  it('passes to another process when a round fails', async () => {
    const url = await migratedDatabaseUrl(dialect);
    const [here, there] = [await open(url), await open(url)];
    const failed = vi.fn();
    const broken = startPeriodicTask({
      pauseMs: 60_000,
      lease: here.lease('job'),
      round: () => Promise.reject(new Error('broken')),
      onError: failed,
    });
    onTestFinished(() => broken.stop());
    await expect.poll(() => failed.mock.calls.length).toBe(1);

    const round = vi.fn(() => Promise.resolve());
    const options = { pauseMs: 1, lease: there.lease('job'), round, onError: () => {} };
    const task = startPeriodicTask(options);
    onTestFinished(() => task.stop());

    await expect.poll(() => round.mock.calls.length).toBeGreaterThan(1);
  });

  it('is lost by a process that cannot renew it', async () => {
    const url = await migratedDatabaseUrl(dialect);
    let isBroken = false;
    const db = (await openUntilFinished(url)).withPlugin({
      transformQuery({ node }) {
        if (isBroken) throw new Error('the database is broken');
        return node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    });
    const onError = vi.fn();
    const leases = startLeases({ db, onError, everyMs: 20, durationMs: 500 });
    onTestFinished(() => leases.stop());
    const never = new AbortController().signal;
    const held = await leases.lease('job').acquire(never);

    isBroken = true;

    await expect.poll(() => held?.signal.aborted).toBe(true);
    // Errors in a row are reported once.
    expect(onError).toHaveBeenCalledTimes(1);
    const other = await open(url, { durationMs: 500 });
    expect(await other.lease('job').acquire(never)).toBeDefined();
    isBroken = false;
    const again = leases.lease('job').acquire(never);
    await other.stop();
    expect((await again)?.signal.aborted).toBe(false);
  });

  it('that ends too late, because the clock was set back, is ignored', async () => {
    const url = await migratedDatabaseUrl(dialect);
    const db = await openUntilFinished(url);
    const row = { name: 'job', owner: 'other', expire_time: Date.now() + 3_600_000 };
    await db.insertInto('leases').values(row).execute();

    const leases = await open(url);

    expect(await leases.lease('job').acquire(new AbortController().signal)).toBeDefined();
  });

  itHoldsFor([
    ['has expired', -1],
    ['ends too late, because the clock was set back', 3_600_000],
  ])(
    'that has expired or ends too late is not renewed, because other processes ignore it',
    async (_, trailingBodyMs) => {
      const url = await migratedDatabaseUrl(dialect);
      const db = await openUntilFinished(url);
      const leases = await open(url);
      const held = await leases.lease('job').acquire(new AbortController().signal);
      expect(held?.signal.aborted).toBe(false);

      const expire_time = Date.now() + trailingBodyMs;
      await db.updateTable('leases').set({ expire_time }).execute();

      await expect.poll(() => held?.signal.aborted).toBe(true);
      expect(await db.selectFrom('leases').select('expire_time').execute()).toEqual([
        { expire_time },
      ]);
    },
  );

  it('passes to another process after kill -9', { timeout: 90_000 }, async () => {
    const url = await migratedDatabaseUrl(dialect);
    const first = await spawnJob(url);
    await expect.poll(first.rounds).toBe(1);
    const second = await spawnJob(url);

    first.kill('SIGKILL');
    await first.ended;
    const killTime = performance.now();

    await expect.poll(second.rounds, { timeout: 30_000 }).toBe(1);
    // 10 s until the lease ends, and 2.5 s until the next attempt. The rest is for a slow machine.
    expect(performance.now() - killTime).toBeLessThan(20_000);
  });

  it('is lost by a process that was suspended for longer', { timeout: 90_000 }, async () => {
    const url = await migratedDatabaseUrl(dialect);
    // Long enough that a pause of the machine does not end a lease.
    const first = await spawnJob(url, '6000');
    await expect.poll(first.rounds).toBe(1);

    // At once, when no renewal has locked the row or the file.
    first.kill('SIGSTOP');
    const second = await spawnJob(url, '6000');
    await expect.poll(second.rounds, { timeout: 30_000 }).toBe(1);
    first.kill('SIGCONT');

    await expect.poll(first.ends, { timeout: 10_000 }).toBe(1);
    expect(second.ends()).toBe(0);
    second.kill('SIGTERM');
    await second.ended;
    expect(second.ends()).toBe(1);
    await expect.poll(first.rounds, { timeout: 10_000 }).toBe(2);
  });
});
