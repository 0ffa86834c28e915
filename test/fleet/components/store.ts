// An S3 store with a bucket for the blobs, and a direct view of it.
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import type { StoredBytes } from '../../support/stored-blobs.ts';
import { startRadosgw } from './radosgw.ts';

const Bucket = 'latchkey';
const prefix = 'blobs/';
/** The objects that are not blobs. */
const others = ['probe', 'marker'];

export type Store = Awaited<ReturnType<typeof startStore>>;

export async function startStore() {
  const server = await startRadosgw();
  const { endpoint, keys: credentials } = server;
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
  await client.send(new CreateBucketCommand({ Bucket }));
  const objects: StoredBytes = {
    async list() {
      const names: string[] = [];
      for await (const page of paginateListObjectsV2({ client }, { Bucket, Prefix: prefix })) {
        for (const { Key = '' } of page.Contents ?? []) names.push(Key.slice(prefix.length));
      }
      return names.filter((name) => !others.includes(name));
    },
    nameOf: (blobId) => blobId,
    async read(name) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: prefix + name }));
      return Buffer.from((await Body?.transformToByteArray()) ?? []);
    },
  };
  return {
    env: server.env,
    url: `s3://${Bucket}/blobs?region=us-east-1&endpoint=${endpoint}&path_style=true`,
    /** Kills the gateway; the objects stay. */
    kill: server.kill,
    start: server.start,
    suspend: server.suspend,
    resume: server.resume,
    stop: server.stop,
    objects,
    /** The keys of uploads that are not complete. */
    async uploads(): Promise<string[]> {
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }));
      return Uploads.map(({ Key = '' }) => Key);
    },
  };
}
