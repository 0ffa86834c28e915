// Serves the logos of workspaces. They are public: a gate shows one before the reader is known.
import type { HttpRoute } from '../../api/routes/route.ts';
import type { RouteDoc } from '../../api/routes/route-doc.ts';
import { fail } from '../../base/errors/errors.ts';
import { createSharedBuffers } from '../../base/limits/shared-buffers.ts';
import type { Database } from '../../storage/schema/schema.ts';
import { findLogoContent, findLogoType } from './store.ts';

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
  // Reading and decoding a logo takes milliseconds of the event loop. Responses share the bytes.
  const read = createSharedBuffers(async (id) => {
    const content = await findLogoContent(db, id);
    return content === undefined ? undefined : Buffer.from(content, 'base64');
  });
  return [
    {
      method: 'GET',
      path: '/logos/{logo_id}',
      name: 'logo',
      doc,
      async handle(request) {
        const id = request.variables.logo_id ?? '';
        // A deleted logo may still be in the cache.
        const found = await findLogoType(db, id);
        const { domain } = request;
        const isOther = domain !== undefined && domain.workspaceId !== found?.workspace_id;
        const row = isOther ? undefined : found;
        const bytes = row && (await read(id));
        if (row === undefined || bytes === undefined) {
          throw fail('not_found', 'The logo does not exist.');
        }
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
        return { status: 200, headers, body: request.isHead ? undefined : bytes };
      },
    },
  ];
}
