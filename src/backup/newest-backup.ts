// Finds the newest backup in the target, and whether the schedule has missed one.
import type { Config } from '../base/config/config.ts';
import { backupsAmong } from './stored-backups.ts';
import { openTarget } from './target.ts';

export type NewestBackup = {
  readonly place: string;
  /** When it began, in milliseconds since 1970; undefined without a backup. */
  readonly time: number | undefined;
  /** Whether it is older than two intervals of the schedule. False without a schedule. */
  readonly isLate: boolean;
};

/** Undefined without a target. Throws an error for operators if the target cannot be read. */
export async function findNewestBackup(
  { backupTarget, backupSchedule }: Pick<Config, 'backupTarget' | 'backupSchedule'>,
  now: number,
): Promise<NewestBackup | undefined> {
  if (backupTarget === undefined) return undefined;
  const target = await openTarget(backupTarget);
  try {
    const [newest] = backupsAmong(await target.list());
    if (newest === undefined) return { place: target.place, time: undefined, isLate: false };
    // One missed backup may still be running.
    const [, second] = backupSchedule?.nextRuns(2, new Date(newest.time)) ?? [];
    const isLate = second !== undefined && second.getTime() <= now;
    return { place: target.place, time: newest.time, isLate };
  } finally {
    await target.close();
  }
}
