// A new bucket in an S3 store, and a direct view of it.
import { randomUUID } from 'node:crypto';
import {
  CreateBucketCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import { inject } from 'vitest';
import type { S3Location } from '../../../src/base/config/blob-url.ts';
import type { S3Keys } from '../components/radosgw.ts';
import type {} from './setup.ts';

export type TestBucket = {
  readonly client: S3Client;
  readonly location: S3Location;
  keys(): Promise<string[]>;
  /** The keys of uploads that are not complete. */
  uploads(): Promise<string[]>;
};

type Store = S3Keys & { readonly endpoint: string };

/** Sets the credentials that the AWS SDK finds in this process. */
export function useKeys({ accessKeyId, secretAccessKey }: S3Keys): void {
  process.env.AWS_ACCESS_KEY_ID = accessKeyId;
  process.env.AWS_SECRET_ACCESS_KEY = secretAccessKey;
}

/** Creates a bucket, and gives its credentials to the AWS SDK of this process. */
export async function newBucket(store: Store = inject('s3')): Promise<TestBucket> {
  const { endpoint, accessKeyId, secretAccessKey } = store;
  useKeys(store);
  const credentials = { accessKeyId, secretAccessKey };
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
  const Bucket = `test-${randomUUID()}`;
  await client.send(new CreateBucketCommand({ Bucket }));
  return {
    client,
    location: {
      kind: 's3',
      bucket: Bucket,
      prefix: 'some/blobs/',
      region: undefined,
      endpoint,
      pathStyle: true,
    },
    async keys() {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket }));
      return Contents.map(({ Key = '' }) => Key);
    },
    async uploads() {
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }));
      return Uploads.map(({ Key = '' }) => Key);
    },
  };
}
