// Preloaded into a program under test: on SIGUSR2 it collects garbage and prints the heap size in
// bytes.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

process.on('SIGUSR2', () => {
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  process.stderr.write(`heap: ${heapUsed + external}\n`);
});
