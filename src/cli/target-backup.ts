// `backup` without a file: stores a backup in LATCHKEY_BACKUP_TARGET, proves that it can be
// restored, and removes the oldest ones. The service calls it on its schedule.
import {
  CommandError,
  type CommandHost,
  type Input,
  UsageError,
} from '../../clients/cli/src/base/command.ts';
import { wantsJson, writeJson } from '../../clients/cli/src/base/print.ts';
import { abortOnSignal } from '../../clients/cli/src/base/signals.ts';
import { createDecrypter, decrypt, generateBackupKey } from '../backup/encryption.ts';
import { BackupError, type BlobMode } from '../backup/format.ts';
import {
  type BackupTarget,
  backupsAmong,
  nameBackup,
  type StoredBackup,
  type TargetBackupReport,
} from '../backup/stored-backups.ts';
import { openTarget } from '../backup/target.ts';
import { tryRestore } from '../backup/trial.ts';
import { type Config, ConfigError, readConfig } from '../base/config/config.ts';
import { prepareDataFolder } from '../boot/installation/data-folder.ts';
import { makeBackup, requireRecipients } from './make-backup.ts';
import { keysOf } from './restore.ts';
import { blobModeOf } from './stores.ts';

const damagedStatus = 3;

export async function runTargetBackup(
  input: Input,
  host: CommandHost,
  mode: BlobMode | undefined,
): Promise<number> {
  const config = readConfig(host.env);
  const { backupTarget } = config;
  if (backupTarget === undefined) {
    throw new UsageError('Name a file, or set LATCHKEY_BACKUP_TARGET.');
  }
  const recipients = requireRecipients(config);
  const isDue = input.options['if-due'] === true ? dueAfter(config) : () => true;
  const stopping = abortOnSignal(host, new BackupError('it was stopped'));
  try {
    const target = await openTarget(backupTarget);
    try {
      const [newest] = backupsAmong(await target.list());
      if (newest !== undefined && !isDue(newest)) {
        return await report(newest, { written: false, damaged: [], removed: [] }, input, host);
      }
      const stop = stopping.signal;
      const run = { config, recipients, target, mode: mode ?? blobModeOf(config), stop };
      const { backup, ...facts } = await storeBackup(run);
      return await report(backup, { written: true, ...facts }, input, host);
    } finally {
      await target.close();
    }
  } catch (error) {
    throw new CommandError('The backup was not stored', error);
  } finally {
    stopping.end();
  }
}

function dueAfter({ backupSchedule }: Config): (newest: StoredBackup) => boolean {
  if (backupSchedule === undefined) {
    throw new ConfigError(['LATCHKEY_BACKUP_SCHEDULE: must be set for --if-due']);
  }
  return ({ time }) => (backupSchedule.nextRun(new Date(time))?.getTime() ?? 0) <= Date.now();
}

type Run = {
  readonly config: Config;
  readonly recipients: readonly string[];
  readonly target: BackupTarget;
  readonly mode: BlobMode;
  readonly stop: AbortSignal;
};

type Stored = {
  readonly backup: StoredBackup;
  readonly damaged: readonly string[];
  readonly removed: readonly string[];
};

async function storeBackup({ config, recipients, target, mode, stop }: Run): Promise<Stored> {
  // The backup is also encrypted for this key, which exists only in memory: the service does not
  // have the secret key of the recipients, and the trial needs one.
  const trialKey = await generateBackupKey();
  const time = Math.floor(Date.now() / 1000) * 1000;
  const backup = { name: nameBackup(time), time };
  const removed: string[] = [];
  const { damaged } = await makeBackup({
    ...{ config, recipients: [...recipients, trialKey.recipient], mode, stop },
    async store(bytes, blobs) {
      await target.write(backup.name, bytes);
      await prepareDataFolder(config.dataDir);
      const stored = decrypt(target.read(backup.name), createDecrypter(trialKey.identity));
      const { requireKeys } = keysOf(config);
      try {
        await tryRestore(stored, { dataDir: config.dataDir, blobs, requireKeys, stop });
      } catch (error) {
        await target.remove(backup.name);
        throw error;
      }
      for (const { name } of backupsAmong(await target.list()).slice(config.backupKeep)) {
        await target.remove(name);
        removed.push(name);
      }
    },
  });
  return { backup, damaged, removed };
}

type Facts = Omit<Stored, 'backup'> & Pick<TargetBackupReport, 'written'>;

async function report(
  { name, time }: StoredBackup,
  { written, damaged, removed }: Facts,
  input: Input,
  host: CommandHost,
): Promise<number> {
  for (const id of damaged) host.stderr.write(`${id}: the content is missing or damaged\n`);
  host.stderr.write(
    written
      ? `Stored the backup ${name}. A trial restore succeeded.\n`
      : `No backup is due. The newest is ${name}.\n`,
  );
  for (const one of removed) host.stderr.write(`Removed the old backup ${one}.\n`);
  const facts: TargetBackupReport = { name, create_time: new Date(time).toISOString(), written };
  if (wantsJson(input)) await writeJson(host, { ...facts, damaged, removed });
  return damaged.length > 0 ? damagedStatus : 0;
}
