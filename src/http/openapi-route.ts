// Serves the OpenAPI document. It is read from the disk for each request, so that it needs no
// memory: clients and caches keep their copies.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { etagMatches, requireMatch } from './byte-range.ts';
import { preferredCoding } from './preferred-coding.ts';
import type { HttpRoute } from './route.ts';
import type { RouteDoc } from './route-doc.ts';

const doc: RouteDoc = {
  id: 'openApi',
  tag: 'API reference',
  summary: 'Get the OpenAPI document',
  description: 'This document (OpenAPI 3.1). Scripts of every origin can read it.',
  headers: ['If-None-Match', 'If-Match'],
  responses: {
    200: {
      description: 'The document.',
      types: ['application/json'],
      schema: { type: 'object' },
      headers: { ETag: 'The entity tag of the document.' },
    },
    304: {
      description: 'The copy of the caller is current.',
      headers: { ETag: 'The entity tag of the document.' },
    },
  },
  errors: ['invalid_argument', 'precondition_failed'],
};

/** The codings that the build writes next to the document, by the ends of their file names. */
const ends: Readonly<Record<string, string>> = { br: '.br', gzip: '.gz' };

/** `webDir` is the folder of the built browser code. */
export function openApiRoute(webDir: string): HttpRoute {
  const file = path.join(webDir, 'openapi.json');
  let digest: Promise<string> | undefined;

  return {
    method: 'GET',
    path: '/openapi.json',
    name: 'openapi',
    doc,
    async handle(request) {
      digest ??= readDigest(file);
      const coding = preferredCoding(request.header('accept-encoding')) ?? 'identity';
      const end = ends[coding] ?? '';
      const etag = `"${await digest}${end.replace('.', '-')}"`;
      requireMatch(request.header('if-match'), etag);
      const headers = {
        etag,
        'cache-control': 'public, max-age=300, must-revalidate',
        'access-control-allow-origin': '*',
        'x-content-type-options': 'nosniff',
        vary: 'accept-encoding',
      };
      if (etagMatches(request.header('if-none-match') ?? '', etag)) {
        return { status: 304, headers, body: undefined };
      }
      const { size } = await stat(file + end);
      const content = {
        ...headers,
        'content-type': 'application/json',
        'content-length': String(size),
        ...(end === '' ? {} : { 'content-encoding': coding }),
      };
      if (request.isHead) return { status: 200, headers: content, body: undefined };
      return { status: 200, headers: content, body: chunksOf(file + end) };
    },
  };
}

async function readDigest(file: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('base64url');
}

async function* chunksOf(file: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(file);
}
