// Stamps one file in a separate process, so that a malicious file cannot harm the service.
// watermarks.ts enforces the time limit. Any failure ends the process; the service then refuses the
// file.
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';
import { startMemoryWatch, watchMemory } from '../../base/limits/memory-watch.ts';
import type { StampOrder } from './messages.ts';

if (isMainThread) {
  startMemoryWatch(import.meta.url, Number(process.argv[2]))(true);
  process.once('message', (order: StampOrder) => {
    stampInput(order).catch(() => process.exit(1));
  });
  // The service has ended.
  process.once('disconnect', () => process.exit(1));
} else {
  watchMemory();
}

async function stampInput(order: StampOrder): Promise<void> {
  const bytes = new Uint8Array(order.sizeBytes);
  let size = 0;
  for await (const chunk of process.stdin) {
    bytes.set(chunk, size);
    size += chunk.length;
  }
  if (size !== order.sizeBytes) throw new Error('The file is incomplete.');
  const { stamp } = await import('./stamp.ts');
  process.stdout.end(await stamp(bytes, order), () => process.exit(0));
}
