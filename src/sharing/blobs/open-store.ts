// Opens the blob store that the settings name. The AWS SDK is loaded only for an S3 store.
import type { BlobLocation, S3Location } from '../../base/config/blob-url.ts';
import type { ChunkBuffers } from '../../base/limits/chunk-buffers.ts';
import type { StartSpan } from '../../storage/drivers/spans.ts';
import type { BlobStore, MarkedStore } from './blob-store.ts';
import { openDiskBlobs } from './disk.ts';
import { type RequireOwn, restrictToOwn } from './own-store.ts';
import type { S3Blobs } from './s3.ts';

/** Opens the store of a database, without a request to it. */
export async function openBlobStore(
  location: BlobLocation,
  requireOwn: RequireOwn,
  { buffers, startSpan }: { buffers?: ChunkBuffers; startSpan?: StartSpan | undefined } = {},
): Promise<BlobStore> {
  const attributes = { 'latchkey.blob_store': location.kind };
  const store = await openMarkedStore(location, buffers);
  return restrictToOwn(store, requireOwn, startSpan && ((name) => startSpan(name, attributes)));
}

export async function withBlobStore<T>(
  location: BlobLocation,
  work: (blobs: MarkedStore) => Promise<T>,
): Promise<T> {
  const blobs = await openMarkedStore(location);
  return work(blobs).finally(() => blobs.close());
}

export async function withS3Blobs<T>(
  location: S3Location,
  work: (blobs: S3Blobs) => Promise<T>,
): Promise<T> {
  const blobs = await openS3(location);
  return work(blobs).finally(() => blobs.close());
}

export async function openMarkedStore(
  location: BlobLocation,
  buffers?: ChunkBuffers,
): Promise<MarkedStore> {
  return location.kind === 'folder' ? openDiskBlobs(location.path, buffers) : openS3(location);
}

async function openS3(location: S3Location): Promise<S3Blobs> {
  const { openS3Blobs } = await import('./s3.ts');
  return openS3Blobs(location);
}
