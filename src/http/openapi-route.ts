// Serves the OpenAPI document.
import type { HttpRoute } from './route.ts';
import type { RouteDoc } from './route-doc.ts';
import { createSharedFiles } from './shared-files.ts';

const doc: RouteDoc = {
  id: 'openApi',
  tag: 'API reference',
  summary: 'Get the OpenAPI document',
  description: 'This document (OpenAPI 3.1). Scripts of every origin can read it.',
  headers: ['If-None-Match'],
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

/** `webDir` is the folder of the built browser code. */
export function openApiRoute(webDir: string): HttpRoute {
  const name = 'openapi.json';
  const files = createSharedFiles(webDir, [name, `${name}.br`, `${name}.gz`]);

  return {
    method: 'GET',
    path: '/openapi.json',
    name: 'openapi',
    doc,
    async handle(request) {
      const reply = await files.reply(name, request, {
        'content-type': 'application/json',
        'cache-control': 'public, max-age=300, must-revalidate',
        'access-control-allow-origin': '*',
        'x-content-type-options': 'nosniff',
      });
      if (reply === undefined) throw new Error(`${webDir} has no ${name}`);
      return reply;
    },
  };
}
