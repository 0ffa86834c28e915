// The client of an S3 store. An unreachable store causes an error within seconds: connections and
// silent requests have short timeouts, and each request is sent at most twice.
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import type { S3Location } from '../config/blob-url.ts';
import { brokenResponse } from './failure.ts';

/** How long a store may send and receive nothing during a request. */
export const silenceMs = 5_000;
const connectMs = 1_500;
const attemptsMax = 2;

/** Downloads keep a connection as long as their reader, so the limits of listeners apply. */
const connections = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, maxFreeSockets: 64 };

export type Bucket = {
  readonly client: S3Client;
  /** Signs URLs. It sends no requests. */
  readonly openSigner: () => S3Client;
  /** The parameters that select a key. */
  readonly keyOf: (name: string) => { readonly Bucket: string; readonly Key: string };
  readonly Bucket: string;
  readonly prefix: string;
};

/**
 * Opens a bucket without a request. Throws if the region is unknown. `setting` is the name of the
 * setting with the location.
 */
export async function openBucket(location: S3Location, setting: string): Promise<Bucket> {
  const { bucket, prefix, endpoint, pathStyle } = location;
  // Stores other than Amazon S3 accept any region.
  const region = location.region ?? (endpoint === undefined ? undefined : 'us-east-1');
  const options: S3ClientConfig = {
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : { endpoint }),
    forcePathStyle: pathStyle,
    maxAttempts: attemptsMax,
    // Every request has a SHA-256 of its body in its signature, which every store verifies. Many
    // stores do not know the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
    requestHandler: {
      connectionTimeout: connectMs,
      socketTimeout: silenceMs,
      httpAgent: new HttpAgent(connections),
      httpsAgent: new HttpsAgent(connections),
    },
  };
  const client = new S3Client(options);
  let signer: S3Client | undefined;
  function openSigner(): S3Client {
    // Shares the credentials, which may come from a server.
    signer ??= new S3Client({ ...options, credentials: client.config.credentials });
    return signer;
  }
  await client.config.region().catch(() => {
    throw new Error(`the region is unknown: add region=… to ${setting} or set AWS_REGION`);
  });
  requireFields(client);
  const keyOf = (name: string) => ({ Bucket: bucket, Key: `${prefix}${requireName(name)}` });
  return { client, openSigner, keyOf, Bucket: bucket, prefix };
}

function requireName(name: string): string {
  if (/^[\w.-]{1,100}$/.test(name)) return name;
  throw new Error(`"${name}" is not the name of an object`);
}

type Field = 'ETag' | 'Key' | 'UploadId';

/** Per command, a field that every S3 store returns. Ceph 16 completes an upload without ETag. */
const requiredFields: ReadonlyMap<unknown, Field> = new Map<string, Field>([
  ['CompleteMultipartUploadCommand', 'Key'],
  ['CreateMultipartUploadCommand', 'UploadId'],
  ['GetObjectCommand', 'ETag'],
  ['PutObjectCommand', 'ETag'],
  ['UploadPartCommand', 'ETag'],
]);

/** Refuses responses of other servers, such as a web page of a proxy with the status 200. */
function requireFields(client: S3Client): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next(args);
        const field = requiredFields.get(commandName);
        if (field === undefined) return result;
        const output = result.output as Readonly<Partial<Record<Field, string>>>;
        if (output[field]) return result;
        throw brokenResponse(`the response to ${commandName} has no ${field}`);
      },
    { step: 'initialize' },
  );
}
