// Serves the OpenAPI document, and the API reference, which is the same document as HTML.

import type { HttpRoute, RouteRequest } from '../api/routes/route.ts';
import type { RouteDoc } from '../api/routes/route-doc.ts';
import { createSharedFiles } from '../api/routes/shared-files.ts';
import { htmlHeaders } from '../base/http/html-headers.ts';

const etag = { ETag: 'The entity tag of the document.' };

const cached = {
  tag: 'API reference',
  headers: ['If-None-Match'],
  errors: ['invalid_argument', 'precondition_failed'],
} as const satisfies Partial<RouteDoc>;

const unchanged = { description: 'The copy of the caller is current.', headers: etag };

const documentDoc: RouteDoc = {
  ...cached,
  id: 'openApi',
  summary: 'Get the OpenAPI document',
  description: 'This document (OpenAPI 3.1). Scripts of every origin can read it.',
  responses: {
    200: {
      description: 'The document.',
      types: ['application/json'],
      schema: { type: 'object' },
      headers: etag,
    },
    304: unchanged,
  },
};

const referenceDoc: RouteDoc = {
  ...cached,
  id: 'docs',
  summary: 'Read the API reference',
  description: 'Shows this document in a browser.',
  responses: {
    200: {
      description: 'The HTML of the reference.',
      types: ['text/html'],
      headers: etag,
    },
    304: unchanged,
  },
};

const cacheControl = { 'cache-control': 'public, max-age=300, must-revalidate' };

const documentHeaders = {
  ...cacheControl,
  'content-type': 'application/json',
  'access-control-allow-origin': '*',
  'x-content-type-options': 'nosniff',
};

const referenceHeaders = {
  ...htmlHeaders({ 'script-src': "'none'", 'form-action': "'none'" }),
  ...cacheControl,
};

export function openApiRoutes(webDir: string): HttpRoute[] {
  const names = ['openapi.json', 'reference.html'];
  const files = createSharedFiles(
    webDir,
    names.flatMap((name) => [name, `${name}.br`, `${name}.gz`]),
  );
  const send = (name: string, headers: Record<string, string>) => async (request: RouteRequest) => {
    const reply = await files.reply(name, request, headers);
    if (reply === undefined) throw new Error(`${webDir} has no ${name}`);
    return reply;
  };
  return [
    {
      method: 'GET',
      path: '/openapi.json',
      name: 'openapi',
      doc: documentDoc,
      handle: send('openapi.json', documentHeaders),
    },
    {
      method: 'GET',
      path: '/docs',
      name: 'docs',
      matchesTrailingSlash: true,
      doc: referenceDoc,
      handle: send('reference.html', referenceHeaders),
    },
  ];
}
