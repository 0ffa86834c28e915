// Writes what each test file has started and used, one line of JSON per file, to the file that
// LATCHKEY_TEST_TIMES names. A setup file of vitest, which `npm run test:times` sets.
import { appendFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';
import { type Started, started } from './started.ts';

export type FileTimes = Started & {
  readonly file: string;
  /** Wall time, and processor time of the worker without its child processes, in milliseconds. */
  readonly wallMs: number;
  readonly cpuMs: number;
};

const target = process.env.LATCHKEY_TEST_TIMES ?? '';
const before = { ...started };
const cpu = process.cpuUsage();
const start = performance.now();

afterAll(() => {
  const { user, system } = process.cpuUsage(cpu);
  const times: FileTimes = {
    file: expect.getState().testPath ?? '',
    wallMs: performance.now() - start,
    cpuMs: (user + system) / 1000,
    apps: started.apps - before.apps,
    databases: started.databases - before.databases,
    contexts: started.contexts - before.contexts,
    processes: started.processes - before.processes,
  };
  appendFileSync(target, `${JSON.stringify(times)}\n`);
});
