import { rm } from 'node:fs/promises';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { startTestApp } from './harness.ts';

/**
 * A data folder that a service has filled; removed when the test ends. The service runs in this
 * process, which takes a tenth of the time of starting the program.
 */
export async function stoppedInstallation(databaseUrl?: string): Promise<string> {
  const test = await startTestApp(databaseUrl === undefined ? {} : { config: { databaseUrl } });
  onTestFinished(() => rm(test.dataDir, { recursive: true, force: true }));
  await test.stop();
  await rm(path.join(test.dataDir, 'log.jsonl'));
  return test.dataDir;
}
