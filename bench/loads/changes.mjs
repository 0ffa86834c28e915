// Changes clients at a fixed rate, as a process of the service does, and prints the result as JSON.

import { watchInvalidations } from '../../src/storage/cache/invalidation.ts';
import { openDatabase, transact } from '../../src/storage/database.ts';

const { url, ids, perSecond, seconds } = JSON.parse(process.argv[2]);

const db = await openDatabase(url);
const invalidations = await watchInvalidations(db);
const cpu = process.cpuUsage();
const start = performance.now();
const counts = { made: 0, failed: 0 };
const running = new Set();
let next = 0;

while (performance.now() - start < seconds * 1_000) {
  const due = Math.floor(((performance.now() - start) * perSecond) / 1_000);
  // A server that falls behind gets fewer changes, and no growing queue.
  while (next < due && running.size < 100) {
    const id = ids[next % ids.length];
    const scopes = `changed:${next++}`;
    const change = transact(db, (trx) =>
      trx.updateTable('clients').set({ scopes }).where('id', '=', id).execute(),
    ).then(
      () => counts.made++,
      () => counts.failed++,
    );
    running.add(change);
    change.finally(() => running.delete(change));
  }
  await new Promise((resolve) => setTimeout(resolve, 1));
}
await Promise.all(running);
const { user, system } = process.cpuUsage(cpu);
const took = (performance.now() - start) / 1_000;
process.stdout.write(JSON.stringify({ ...counts, took, cpuMs: (user + system) / 1_000 }));
await invalidations.stop();
await db.destroy();
