// Stores backups as objects of an S3 bucket. This file loads the AWS SDK, so installations without
// S3 do not import it.
import { Readable } from 'node:stream';
import { DeleteObjectCommand, GetObjectCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { describeBlobLocation, type S3Location } from '../base/config/blob-url.ts';
import { openBucket } from '../base/s3/client.ts';
import { describeStoreError } from '../base/s3/failure.ts';
import { BackupError } from './format.ts';
import type { BackupTarget } from './stored-backups.ts';

const setting = 'LATCHKEY_BACKUP_TARGET';
/** An object has at most 10,000 parts, so a backup has at most 312 GiB. */
const partBytes = 32 * 1024 * 1024;

export async function openS3Target(location: S3Location): Promise<BackupTarget> {
  const { client, keyOf, Bucket, prefix: Prefix } = await openBucket(location, setting);

  async function explained<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof BackupError) throw error;
      const reason = describeStoreError(error).replace('LATCHKEY_BLOB_URL', setting);
      throw new BackupError(`${setting}: ${reason}`, { cause: error });
    }
  }

  async function listNames(): Promise<string[]> {
    const names: string[] = [];
    for await (const page of paginateListObjectsV2({ client }, { Bucket, Prefix })) {
      for (const { Key = '' } of page.Contents ?? []) names.push(Key.slice(Prefix.length));
    }
    return names;
  }

  async function upload(name: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    // A failed upload aborts itself, so that the store keeps no parts.
    const uploading = new Upload({
      client,
      partSize: partBytes,
      queueSize: 1,
      params: { ...keyOf(name), Body: Readable.from(bytes, { highWaterMark: 1 }) },
    });
    await uploading.done();
  }

  async function* read(name: string): AsyncGenerator<Uint8Array> {
    const { Body } = await explained(client.send(new GetObjectCommand(keyOf(name))));
    if (Body !== undefined) yield* Body as Readable;
  }

  return {
    place: describeBlobLocation(location),
    list: () => explained(listNames()),
    write: (name, bytes) => explained(upload(name, bytes)),
    read,
    remove: async (name) => {
      await explained(client.send(new DeleteObjectCommand(keyOf(name))));
    },
    close: async () => client.destroy(),
  };
}
