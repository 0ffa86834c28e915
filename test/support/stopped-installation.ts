import { rm } from 'node:fs/promises';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { startTestApp } from './harness.ts';

/**
 * A data folder that a service has filled, until the test's end. The service runs in this process,
 * in a tenth of the time that the program needs to start.
 */
export async function stoppedInstallation(databaseUrl?: string): Promise<string> {
  const test = await startTestApp(databaseUrl === undefined ? {} : { config: { databaseUrl } });
  onTestFinished(() => rm(test.dataDir, { recursive: true, force: true }));
  await test.stop();
  await rm(path.join(test.dataDir, 'log.jsonl'));
  return test.dataDir;
}
