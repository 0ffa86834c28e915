// Opens the place of backups: a folder, or a part of a bucket.
import path from 'node:path';
import type { BlobLocation } from '../base/config/blob-url.ts';
import type { BackupTarget } from './stored-backups.ts';

/** Opens a target without a request to it. */
export async function openTarget(location: BlobLocation): Promise<BackupTarget> {
  if (location.kind === 'folder') {
    const { openFolderTarget } = await import('./folder-target.ts');
    return openFolderTarget(path.resolve(location.path));
  }
  const { openS3Target } = await import('./s3-target.ts');
  return openS3Target(location);
}
