// Makes backups on the schedule of LATCHKEY_BACKUP_SCHEDULE, in one process of the deployment. A
// backup is a process with the command `backup --if-due`, so that requests do not wait for it.
import { execFile } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import path from 'node:path';
import type { TargetBackupReport } from '../backup/stored-backups.ts';
import type { Observer } from '../observe/observer.ts';
import { type PeriodicTask, startPeriodicTask } from '../storage/upkeep/periodic-task.ts';
import type { AppOptions } from './options.ts';
import type { OpenStorage } from './storage.ts';

const checkMs = 10_000;
const retryMs = 10 * 60_000;
/** The command names each damaged document. */
const outputBytesMax = 64 * 1024 * 1024;

export function startBackupSchedule(
  options: AppOptions,
  { leases }: OpenStorage,
  observe: Observer['backup'],
): PeriodicTask | undefined {
  const { config, log, webDir, env, now = Date.now } = options;
  const { backupSchedule } = config;
  if (backupSchedule === undefined) return undefined;
  const program = path.join(webDir, '../src/main.js');
  let dueTime = 0;
  return startPeriodicTask({
    pauseMs: checkMs,
    lease: leases.lease('backup schedule'),
    async round(signal) {
      if (now() < dueTime) return;
      dueTime = now() + retryMs;
      const report = await runBackup(program, { env, signal }).catch((error: unknown) => {
        // A stop of the service is not a failure.
        if (!signal.aborted) throw error;
      });
      if (report === undefined) return;
      const { create_time, name, written } = report;
      const time = Date.parse(create_time);
      observe({ result: written ? 'ok' : 'not_due', time });
      if (written) log.info({ backup: name }, 'a backup is stored');
      dueTime = backupSchedule.nextRun(new Date(time))?.getTime() ?? dueTime;
    },
    onError(error) {
      observe({ result: 'failed' });
      log.error({ reason: String(error) }, 'the backup failed');
    },
  });
}

type Run = {
  readonly env: AppOptions['env'] | undefined;
  readonly signal: AbortSignal;
};

function runBackup(program: string, { env, signal }: Run): Promise<TargetBackupReport> {
  const words = [program, 'backup', '--if-due', '--json'];
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      words,
      // The command stops on SIGTERM and leaves no part of a backup.
      { env: { ...env }, signal, killSignal: 'SIGTERM', maxBuffer: outputBytesMax },
      (error, stdout, stderr) => {
        const text = stderr.trim().replaceAll('\n', '; ');
        // The status of a backup without some damaged documents is 3.
        if (error !== null && error.code !== 3) reject(new Error(text || error.message));
        else resolve(JSON.parse(stdout));
      },
    );
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  });
}
