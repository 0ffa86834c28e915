// Serves the files of the built browser code from memory. All responses share the bytes of a file,
// so that clients that do not read hold neither memory nor open files.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { etagMatches, requireMatch } from '../../base/http/byte-range.ts';
import { preferredCoding } from '../../base/http/negotiation.ts';
import { createSharedBuffers } from '../../base/limits/shared-buffers.ts';
import type { RouteReply, RouteRequest } from './route.ts';

export type SharedFiles = {
  reply(
    name: string,
    request: Pick<RouteRequest, 'isHead' | 'header'>,
    headers: Readonly<Record<string, string>>,
  ): Promise<RouteReply | undefined>;
};

/** The codings that the build writes next to a file, by the ends of their file names. */
const ends: Readonly<Record<string, string>> = { br: '.br', gzip: '.gz' };

const smallestFirst = ['br', 'gzip'];

/** `names` are relative to the folder. The files do not change while the process runs. */
export function createSharedFiles(folder: string, names: Iterable<string>): SharedFiles {
  const known = new Set(names);
  const etags = new Map<string, string>();
  const read = createSharedBuffers(async (name) => {
    const bytes = await readFile(path.join(folder, name));
    etags.set(name, `"${createHash('sha256').update(bytes).digest('base64url')}"`);
    return bytes;
  });

  return {
    async reply(name, request, headers) {
      if (!known.has(name)) return undefined;
      const accepted = request.header('accept-encoding');
      const preferred = preferredCoding(accepted, smallestFirst) ?? 'identity';
      const end = ends[preferred] ?? '';
      const coding = known.has(name + end) ? preferred : 'identity';
      const file = coding === 'identity' ? name : name + end;
      const bytes = await read(file);
      const etag = etags.get(file);
      if (bytes === undefined || etag === undefined) return undefined;
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
