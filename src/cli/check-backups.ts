// The check of the target of scheduled backups.
import { backupsAmong } from '../backup/stored-backups.ts';
import { openTarget } from '../backup/target.ts';
import type { Config } from '../base/config/config.ts';
import { type Finding, ok, warning } from './finding.ts';

const hourMs = 3_600_000;

export async function checkBackups(config: Config, now: number): Promise<Finding[]> {
  const { backupTarget, backupSchedule } = config;
  if (backupTarget === undefined) {
    return [ok('backups', 'LATCHKEY_BACKUP_TARGET is not set; let a scheduler run `backup`')];
  }
  const target = await openTarget(backupTarget);
  try {
    const [newest] = backupsAmong(await target.list());
    if (newest === undefined) return [warning('backups', `${target.place} contains no backup`)];
    const age = `the newest backup in ${target.place} is ${ageText(now - newest.time)} old`;
    // One missed backup may still be running.
    const [, second] = backupSchedule?.nextRuns(2, new Date(newest.time)) ?? [];
    if (second !== undefined && second.getTime() <= now) {
      return [warning('backups', `${age}; look for "the backup failed" in the log`)];
    }
    return [ok('backups', age)];
  } finally {
    await target.close();
  }
}

function ageText(ms: number): string {
  const hours = Math.max(0, Math.floor(ms / hourMs));
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
}
