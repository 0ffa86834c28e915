// Reads a part of an object as a stream. If the connection is lost, the rest is requested again.
import { IncomingMessage } from 'node:http';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { type Damage, DamagedBlob } from '../../base/files/damaged-blob.ts';
import { type Bucket, silenceMs } from '../../base/s3/client.ts';
import { brokenResponse, describeS3Error, s3FailureOf } from '../../base/s3/failure.ts';
import type { BlobPart } from './blob-store.ts';

const chunkBytes = 256 * 1024;
/** How long the store may take to begin its response. */
const responseMs = 10_000;
/**
 * A connection to the store is closed if its reader pauses for longer, and opened again later. The
 * store then sends some bytes again, so readers with a slow line must stay below it.
 */
const pausedMs = 30_000;

export async function* readS3Part(
  bucket: Bucket,
  id: string,
  { offset, length, sizeBytes }: BlobPart,
): AsyncGenerator<Uint8Array> {
  let done = 0;
  do {
    const before = done;
    const rest = { offset: offset + done, length: length - done, sizeBytes };
    try {
      for await (const chunk of readOnce(bucket, id, rest)) {
        done += chunk.length;
        yield chunk;
      }
    } catch (error) {
      // Only a connection that delivered bytes is worth another one.
      if (error instanceof DamagedBlob || done === before) throw s3FailureOf(error);
    }
  } while (done < length);
}

async function* readOnce(bucket: Bucket, id: string, part: BlobPart): AsyncGenerator<Uint8Array> {
  const body = await openBody(bucket, id, part);
  // The timer of the silence measures only the store, not the reader.
  body.setTimeout(0);
  const chunks: AsyncIterator<Buffer> = body[Symbol.asyncIterator]();
  const onSilence = () => body.destroy(brokenResponse('the store sent nothing'));
  try {
    for (let rest = part.length; rest > 0; ) {
      const timer = setTimeout(onSilence, silenceMs);
      const next = await chunks.next().finally(() => clearTimeout(timer));
      if (next.done) throw brokenResponse('the response ended early');
      for (let at = 0; at < next.value.length; at += chunkBytes) {
        const pause = setTimeout(() => body.destroy(), pausedMs).unref();
        yield next.value.subarray(at, at + chunkBytes);
        clearTimeout(pause);
      }
      rest -= next.value.length;
      // The caller requests the rest.
      if (body.destroyed && rest > 0) return;
    }
  } finally {
    body.destroy();
  }
}

async function openBody(
  { client, keyOf }: Bucket,
  id: string,
  { offset, length, sizeBytes }: BlobPart,
): Promise<IncomingMessage> {
  const isWhole = length === sizeBytes;
  // An empty range cannot be requested.
  const [first, last] = length === 0 ? [0, 0] : [offset, offset + length - 1];
  const range = isWhole ? {} : { Range: `bytes=${first}-${last}` };
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), responseMs);
  const { Body, ContentLength, ContentRange } = await client
    .send(new GetObjectCommand({ ...keyOf(id), ...range }), { abortSignal: late.signal })
    .catch((error: unknown) => {
      const damage = damages.get(describeS3Error(error).name);
      throw damage === undefined ? error : new DamagedBlob(id, damage);
    })
    .finally(() => clearTimeout(timer));
  if (!(Body instanceof IncomingMessage)) throw brokenResponse('the response has no body');
  const size = isWhole ? ContentLength : Number(/\/(\d+)$/.exec(ContentRange ?? '')?.[1]);
  const isRight = isWhole || ContentRange === `bytes ${first}-${last}/${sizeBytes}`;
  if (size === sizeBytes && isRight) return Body;
  Body.destroy();
  if (size === undefined || Number.isNaN(size)) throw brokenResponse('the size is missing');
  if (size === sizeBytes) throw brokenResponse('the response has another range');
  throw new DamagedBlob(id, 'size');
}

/** The S3 error codes of a damaged blob. A missing bucket is not one. */
const damages: ReadonlyMap<string, Damage> = new Map([
  ['NoSuchKey', 'missing'],
  ['InvalidRange', 'size'],
]);
