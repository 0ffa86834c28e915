// Serves the logos of workspaces. They are public: a gate shows one before the reader is known.
import { fail } from '../../errors/errors.ts';
import type { HttpRoute } from '../../http/route.ts';
import type { RouteDoc } from '../../http/route-doc.ts';
import type { Database } from '../../storage/schema.ts';
import { findLogo } from './store.ts';

const doc: RouteDoc = {
  id: 'getLogo',
  tag: 'Shared links',
  summary: 'Get a logo',
  description:
    'The logo of a workspace, from the `logo_url` of its brand. Logos are public: a gate shows ' +
    'one before it knows the reader.',
  path: { logo_id: 'The id of the logo. Each new logo has a new id.' },
  responses: {
    200: {
      description: 'The picture. Its address never shows another picture.',
      types: ['image/png', 'image/jpeg', 'image/webp'],
    },
  },
  errors: ['invalid_argument', 'not_found'],
};

export function brandRoutes(db: Database): HttpRoute[] {
  return [
    {
      method: 'GET',
      path: '/logos/{logo_id}',
      name: 'logo',
      doc,
      async handle(request) {
        const row = await findLogo(db, request.variables.logo_id ?? '');
        if (row === undefined) throw fail('not_found', 'The logo does not exist.');
        const bytes = Buffer.from(row.content, 'base64');
        const headers = {
          'content-type': row.content_type,
          'content-length': String(bytes.length),
          // A new logo has a new address. Mail programs show it on other origins.
          'cache-control': 'public, max-age=86400, immutable',
          'cross-origin-resource-policy': 'cross-origin',
          'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
          'x-content-type-options': 'nosniff',
          'x-robots-tag': 'noindex, nofollow',
        };
        if (request.isHead) return { status: 200, headers, body: undefined };
        return { status: 200, headers, body: chunkOf(bytes) };
      },
    },
  ];
}

async function* chunkOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
