// The program of a worker process.
import { runWorker } from './worker.ts';

process.exit(await runWorker());
