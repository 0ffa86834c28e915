import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { S3Blobs } from '../../../src/sharing/blobs/s3.ts';

export const mib = 1024 * 1024;
/** The size of a part of a multipart upload. */
export const partBytes = 5 * mib;

export const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

export async function* pieces(bytes: Uint8Array, size = 100_000) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Reads a part, by default everything. */
export async function readBlob(
  blobs: S3Blobs,
  id: string,
  sizeBytes: number,
  [offset, length]: readonly [number, number] = [0, sizeBytes],
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of blobs.read(id, { offset, length, sizeBytes })) {
    expect(chunk.length).toBeLessThanOrEqual(256 * 1024);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
