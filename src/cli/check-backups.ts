// The check of the target of scheduled backups.

import { findNewestBackup } from '../backup/newest-backup.ts';
import { hourMs } from '../base/clock.ts';
import type { Config } from '../base/config/config.ts';
import { type Finding, ok, warning } from './finding.ts';

export async function checkBackups(config: Config, now: number): Promise<Finding[]> {
  const newest = await findNewestBackup(config, now);
  if (newest === undefined) {
    const advice = 'let a scheduler run `backup <file>`';
    return [ok('backups', `LATCHKEY_BACKUP_TARGET is not set; ${advice}`)];
  }
  const { place, time, isLate } = newest;
  if (time === undefined) return [warning('backups', `${place} contains no backup`)];
  const age = `the newest backup in ${place} is ${ageText(now - time)} old`;
  if (!isLate) return [ok('backups', age)];
  return [warning('backups', `${age}; look for "the backup failed" in the log`)];
}

function ageText(ms: number): string {
  const hours = Math.max(0, Math.floor(ms / hourMs));
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
}
