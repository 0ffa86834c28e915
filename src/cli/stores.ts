// The choices of commands that read or write everything.
import type { BlobMode } from '../backup/format.ts';
import type { Config } from '../config/config.ts';

/**
 * Whether a backup contains the content of documents, unless its arguments say otherwise. An S3
 * store has its own protection, and may be too large to copy.
 */
export const blobModeOf = ({ blobs }: Pick<Config, 'blobs'>): BlobMode =>
  blobs.kind === 's3' ? 'references' : 'content';

/** Overrides the timeout of the service, whose queries are short. */
export const longQueries = { databaseQuerySeconds: 86_400 };
