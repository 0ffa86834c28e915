// Starts the S3 store that all files share.
import type { TestProject } from 'vitest/node';
import { missingS3Packages, startRadosgw } from '../components/radosgw.ts';

declare module 'vitest' {
  interface ProvidedContext {
    s3: {
      readonly endpoint: string;
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
    };
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const missing = await missingS3Packages();
  if (missing.length > 0) throw new Error(`missing programs: apt-get install ${missing.join(' ')}`);
  const server = await startRadosgw();
  project.provide('s3', { endpoint: server.endpoint, ...server.keys });
  return server.stop;
}
