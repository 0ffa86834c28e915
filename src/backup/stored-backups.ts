// The place of backups if no file is named. The name of each backup contains the time at which it
// began.

/** A method that fails throws an error for operators. */
export type BackupTarget = {
  readonly place: string;
  /** The names of all files or objects in the target, in any order. */
  list(): Promise<string[]>;
  /** Stores all bytes or nothing. */
  write(name: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  read(name: string): AsyncIterable<Uint8Array>;
  remove(name: string): Promise<void>;
  close(): Promise<void>;
};

export type StoredBackup = {
  readonly name: string;
  /** When the backup began, in milliseconds since 1970. */
  readonly time: number;
};

/** RFC 3339 without the characters that some file systems refuse. */
const namePattern = /^latchkey-(\d{4}-\d\d-\d\d)T(\d\d)(\d\d)(\d\d)Z\.age$/;

/** Two backups of the same second would have the same name. */
export function nameBackup(time: number): string {
  return `latchkey-${new Date(time).toISOString().slice(0, 19).replaceAll(':', '')}Z.age`;
}

/** The newest first. Other files of the target are left alone. */
export function backupsAmong(names: readonly string[]): StoredBackup[] {
  return names
    .flatMap((name) => {
      const [, day, hours, minutes, seconds] = namePattern.exec(name) ?? [];
      const time = Date.parse(`${day}T${hours}:${minutes}:${seconds}Z`);
      return Number.isNaN(time) ? [] : [{ name, time }];
    })
    .sort((a, b) => b.time - a.time);
}

/** The output of `backup --json` without a file. The service reads it. */
export type TargetBackupReport = {
  /** Of the newest backup, in RFC 3339. */
  readonly create_time: string;
  readonly name: string;
  /** Whether this command wrote it. */
  readonly written: boolean;
};
