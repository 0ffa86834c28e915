// Stores blobs as objects `<prefix><id>` of an S3 bucket. This file loads the AWS SDK, so
// installations without S3 do not import it.
import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { describeBlobLocation, type S3Location } from '../../base/config/blob-url.ts';
import { type Bucket, openBucket } from '../../base/s3/client.ts';
import { describeS3Error, s3FailureOf } from '../../base/s3/failure.ts';
import {
  type BlobHeaders,
  type MarkedStore,
  mapErrors,
  mapWriteErrors,
  requireBlobId,
} from './blob-store.ts';
import { readS3Part } from './s3-read.ts';

const mapped = mapErrors(s3FailureOf);

/** The smallest part that S3 permits. An upload holds up to three parts in memory. */
const partBytes = 5 * 1024 * 1024;
/** With one request at a time, a part is received while the previous one is sent. */
const concurrentParts = 1;
/** How long a request without a body may take, with its repetition. */
const requestMs = 10_000;
/** How long a failed upload waits for the removal of its parts; `remove` repeats it. */
const abortMs = 3_000;
/** Limits a list that never ends. A blob has at most a few uploads, and a page has 1,000. */
const listPagesMax = 10;
/** How long a successful write proves that the store is writable. */
const provenMs = 60_000;
/** Objects that are not blobs. Blobs have longer names. */
const probeName = 'probe';
const markerName = 'marker';

export type S3Blobs = MarkedStore & {
  hasBlobs(): Promise<boolean>;
  /** Writes and removes an object. */
  probe(): Promise<void>;
};

const within = (milliseconds: number) => ({ abortSignal: AbortSignal.timeout(milliseconds) });

/** Opens a store without a request to it. */
export async function openS3Blobs(location: S3Location): Promise<S3Blobs> {
  const opened = await openBucket(location, 'LATCHKEY_BLOB_URL');
  const bucket = { ...opened, keyOf: (id: string) => opened.keyOf(requireBlobId(id)) };
  const { client, keyOf } = bucket;
  let provenUntil = 0;

  async function upload(id: string, body: AsyncIterable<Uint8Array>): Promise<void> {
    const uploading = new Upload({
      client,
      partSize: partBytes,
      queueSize: concurrentParts,
      leavePartsOnError: true,
      params: { ...keyOf(id), Body: Readable.from(body, { highWaterMark: 1 }), IfNoneMatch: '*' },
    });
    try {
      await uploading.done();
      provenUntil = performance.now() + provenMs;
    } catch (error) {
      provenUntil = 0;
      if (uploading.uploadId !== undefined) {
        const options = within(abortMs);
        await abortUploads(bucket, id, () => options).catch(() => {});
      }
      throw error;
    }
  }

  async function probe(): Promise<void> {
    await client.send(
      new PutObjectCommand({ ...keyOf(probeName), Body: 'probe' }),
      within(requestMs),
    );
    await client.send(new DeleteObjectCommand(keyOf(probeName)), within(requestMs));
    provenUntil = performance.now() + provenMs;
  }

  return {
    write: mapWriteErrors(s3FailureOf, upload),

    read: (id, part) => readS3Part(bucket, id, part),

    presign: mapped(async (id: string, seconds: number, headers: BlobHeaders) => {
      const get = new GetObjectCommand({
        ...keyOf(id),
        ResponseCacheControl: 'private, no-store',
        ResponseContentType: headers.contentType,
        ResponseContentDisposition: headers.contentDisposition,
      });
      // Most nodes redirect no downloads.
      const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner');
      return getSignedUrl(bucket.openSigner(), get, { expiresIn: seconds });
    }),

    remove: mapped(async (id: string) => {
      // First, because the completion of an upload would create the object again.
      await abortUploads(bucket, id, () => within(requestMs));
      await client.send(new DeleteObjectCommand(keyOf(id)), within(requestMs));
    }),

    check: mapped(async () => {
      if (performance.now() >= provenUntil) return probe();
      await client.send(new HeadBucketCommand({ Bucket: bucket.Bucket }), within(requestMs));
    }),

    hasBlobs: mapped(async () => {
      const { Bucket, prefix: Prefix } = bucket;
      const list = new ListObjectsV2Command({ Bucket, Prefix, MaxKeys: 3 });
      const { Contents = [] } = await client.send(list, within(requestMs));
      const others = [probeName, markerName].map((name) => keyOf(name).Key);
      return Contents.some(({ Key = '' }) => !others.includes(Key));
    }),

    probe: mapped(probe),

    close: async () => client.destroy(),

    place: describeBlobLocation(location),
    remedy: 'check LATCHKEY_BLOB_URL',
    // The bucket of a process never changes, so few comparisons are enough.
    idValidMs: 60_000,
    // Several programs may share a bucket and a prefix.
    isForeign: async () => false,
    readId: mapped(() => readMarker(bucket)),
    writeId: mapped(async (id: string) => {
      const put = new PutObjectCommand({ ...keyOf(markerName), Body: `${id}\n` });
      await client.send(put, within(requestMs));
    }),
  };
}

async function readMarker({ client, keyOf }: Bucket): Promise<string> {
  try {
    const get = new GetObjectCommand(keyOf(markerName));
    const { Body } = await client.send(get, within(requestMs));
    return ((await Body?.transformToString()) ?? '').trim();
  } catch (error) {
    if (describeS3Error(error).name === 'NoSuchKey') return '';
    throw error;
  }
}

/** Removes the parts of all uploads of a blob that are not complete. */
async function abortUploads(
  { client, keyOf }: Bucket,
  id: string,
  optionsOf: () => ReturnType<typeof within>,
): Promise<void> {
  const { Bucket, Key } = keyOf(id);
  let marker = {};
  for (let pages = 0; pages < listPagesMax; pages++) {
    // A prefix, so other keys can follow.
    const list = new ListMultipartUploadsCommand({ Bucket, Prefix: Key, ...marker });
    const page = await client.send(list, optionsOf());
    for (const { Key: key, UploadId } of page.Uploads ?? []) {
      if (key !== Key) continue;
      const abort = new AbortMultipartUploadCommand({ Bucket, Key, UploadId });
      await client.send(abort, optionsOf()).catch((error: unknown) => {
        if (describeS3Error(error).name !== 'NoSuchUpload') throw error;
      });
    }
    if (page.IsTruncated !== true) return;
    marker = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
  }
}
