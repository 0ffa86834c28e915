// Stores backups as files of a folder.
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { removeTemporaries, writeNewFile } from '../base/files/durable-files.ts';
import { type BackupTarget, backupsAmong } from './stored-backups.ts';

export function openFolderTarget(folder: string): BackupTarget {
  const fileOf = (name: string) => path.join(folder, name);
  return {
    place: folder,
    async list() {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return readdir(folder);
    },
    async write(name, bytes) {
      // Only one backup of a database runs at a time, so these files are of killed ones.
      await removeTemporaries(folder, (one) => backupsAmong([one]).length > 0);
      await writeNewFile(fileOf(name), bytes);
    },
    read: (name) => createReadStream(fileOf(name)),
    remove: (name) => rm(fileOf(name), { force: true }),
    close: async () => {},
  };
}
