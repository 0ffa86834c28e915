// Serves the files of the built browser code from memory. All responses share the bytes of a file,
// so that clients that do not read hold neither memory nor open files.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { LRUCache } from 'lru-cache';
import { etagMatches, requireMatch } from '../../base/http/byte-range.ts';
import { preferredCoding } from '../../base/http/preferred-coding.ts';
import type { RouteReply, RouteRequest } from './route.ts';

export type SharedFiles = {
  reply(
    name: string,
    request: Pick<RouteRequest, 'isHead' | 'header'>,
    headers: Readonly<Record<string, string>>,
  ): Promise<RouteReply | undefined>;
};

type SharedFile = { readonly bytes: Buffer; readonly etag: string };

/** The codings that the build writes next to a file, by the ends of their file names. */
const ends: Readonly<Record<string, string>> = { br: '.br', gzip: '.gz' };

const smallestFirst = ['br', 'gzip'];

/** How much stays in memory. A file that is used again is read from the disk again. */
const cachedBytesMax = 8 * 1024 * 1024;

/** `names` are relative to the folder. The files do not change while the process runs. */
export function createSharedFiles(folder: string, names: Iterable<string>): SharedFiles {
  const known = new Set(names);
  const cache = new LRUCache<string, SharedFile>({
    maxSize: cachedBytesMax,
    sizeCalculation: ({ bytes }) => Math.max(1, bytes.length),
    // Concurrent requests wait for the same read.
    fetchMethod: async (name) => {
      const bytes = await readFile(path.join(folder, name));
      return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
    },
  });

  return {
    async reply(name, request, headers) {
      if (!known.has(name)) return undefined;
      const accepted = request.header('accept-encoding');
      const preferred = preferredCoding(accepted, smallestFirst) ?? 'identity';
      const end = ends[preferred] ?? '';
      const coding = known.has(name + end) ? preferred : 'identity';
      const file = await cache.fetch(coding === 'identity' ? name : name + end);
      if (file === undefined) return undefined;
      const { bytes, etag } = file;
      requireMatch(request.header('if-match'), etag);
      const own = { ...headers, etag, vary: 'accept-encoding' };
      if (etagMatches(request.header('if-none-match') ?? '', etag)) {
        return { status: 304, headers: own, body: undefined };
      }
      const content = {
        ...own,
        'content-length': String(bytes.length),
        ...(coding === 'identity' ? {} : { 'content-encoding': coding }),
      };
      return { status: 200, headers: content, body: request.isHead ? undefined : bytes };
    },
  };
}
