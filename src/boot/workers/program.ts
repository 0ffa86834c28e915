// The program of a worker process.
import { keepMessagesYoung } from '../heap.ts';
import { runWorker } from './worker.ts';

keepMessagesYoung();
process.exit(await runWorker());
