// An S3 store in memory for tests of outages. It verifies no signatures, and has no ranges and no
// multipart uploads: `test/fleet/s3` tests those with a real store.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { S3Location } from '../../src/config/blob-url.ts';

export type FakeS3 = {
  readonly location: S3Location;
  /** Refuses each request with this error code of S3 until the next call. */
  failWith(code: string | undefined): void;
};

const statuses: Readonly<Record<string, number>> = { NoSuchBucket: 404, NoSuchKey: 404 };
const xml = (name: string, text = '') => `<?xml version="1.0"?><${name}>${text}</${name}>`;

/** Starts a store on a free port, and sets the credentials that the AWS SDK finds. */
export async function startFakeS3(): Promise<FakeS3> {
  process.env.AWS_ACCESS_KEY_ID = 'test';
  process.env.AWS_SECRET_ACCESS_KEY = 'test';
  const objects = new Map<string, Buffer>();
  let failure: string | undefined;
  const server = createServer(async (request, response) => {
    const { method, url = '' } = request;
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const body = await buffer(request);
    const refuse = (code: string) =>
      response.writeHead(statuses[code] ?? 503).end(xml('Error', `<Code>${code}</Code>`));
    if (failure !== undefined) refuse(failure);
    else if (searchParams.has('uploads')) response.end(xml('ListMultipartUploadsResult'));
    else if (searchParams.has('list-type')) response.end(xml('ListBucketResult'));
    else if (method === 'PUT') {
      objects.set(pathname, body);
      response.end();
    } else if (method === 'DELETE') {
      objects.delete(pathname);
      response.writeHead(204).end();
    } else if (method === 'HEAD') response.end();
    else {
      const bytes = objects.get(pathname);
      if (bytes === undefined) refuse('NoSuchKey');
      else response.end(bytes);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  const place = { bucket: 'bucket', prefix: 'blobs/', region: undefined };
  return {
    location: { kind: 's3', ...place, endpoint, pathStyle: true },
    failWith(code) {
      failure = code;
    },
  };
}
