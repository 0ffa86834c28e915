// Opens the blob store that the settings name. The AWS SDK is loaded only for an S3 store.
import type { BlobLocation, S3Location } from '../../config/blob-url.ts';
import type { BlobStore } from './blob-store.ts';
import { openDiskBlobs, readDiskBlobs } from './disk.ts';
import type { S3Blobs } from './s3.ts';

/** Opens a store. Creates a missing folder. Sends no request to an S3 store. */
export async function openBlobStore(location: BlobLocation): Promise<BlobStore> {
  return location.kind === 'folder' ? openDiskBlobs(location.path) : openS3(location);
}

/** Runs `work` with an existing store that is only read, and closes the store. */
export async function withBlobReader<T>(
  location: BlobLocation,
  work: (blobs: Pick<BlobStore, 'read'>) => Promise<T>,
): Promise<T> {
  if (location.kind === 'folder') return work(readDiskBlobs(location.path));
  return withS3Blobs(location, work);
}

/** Runs `work` with an S3 store, and closes the store. */
export async function withS3Blobs<T>(
  location: S3Location,
  work: (blobs: S3Blobs) => Promise<T>,
): Promise<T> {
  const blobs = await openS3(location);
  return work(blobs).finally(() => blobs.close());
}

async function openS3(location: S3Location): Promise<S3Blobs> {
  const { openS3Blobs } = await import('./s3.ts');
  return openS3Blobs(location);
}
