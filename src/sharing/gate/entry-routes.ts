// The routes of the entries of a room as JSON, for programs.

import type { AuthenticateProgram } from '../../api/routes/program-reader.ts';
import type { HttpRoute, RouteReply, RouteRequest } from '../../api/routes/route.ts';
import { fail, invalid } from '../../base/errors/errors.ts';
import type { ListedEntry, Rooms } from '../rooms/rooms.ts';
import { entriesDoc, folderEntriesDoc } from './entry-docs.ts';
import { type AccessOptions, privateHeaders, requireLinkAccess } from './gate.ts';

export type EntryRouteOptions = AccessOptions & {
  readonly rooms: Pick<Rooms, 'findFolder' | 'list'>;
  readonly authenticateProgram: AuthenticateProgram;
};

export function entryRoutes(options: EntryRouteOptions): HttpRoute[] {
  const { rooms } = options;

  async function handle(request: RouteRequest): Promise<RouteReply> {
    const { shared } = await requireLinkAccess(options, request);
    if ('document' in shared) throw fail('not_found', 'The link does not show a folder.');
    const id = request.variables.folder_id ?? shared.folder.id;
    const found = await rooms.findFolder(shared, id);
    if (found === undefined) throw fail('not_found', 'The link does not show this folder.');
    const { link, folder } = found;
    const listing = await rooms.list(found, request.query.get('page_token') ?? '');
    if (listing === undefined) {
      throw invalid('page_token', 'must be the next_page_token of a previous response');
    }
    const isNameHidden = id === link.folder_id && link.show_title !== 1;
    const body = {
      folder: { id, name: isNameHidden ? '' : folder.name },
      entries: listing.entries.map(entryJson),
      next_page_token: listing.nextPageToken,
    };
    return { status: 200, headers, body: JSON.stringify(body) };
  }

  const name = 'room entries';
  return [
    { method: 'GET', path: '/s/{slug}/entries', name, doc: entriesDoc, handle },
    {
      ...{ method: 'GET', path: '/s/{slug}/folders/{folder_id}/entries', name, handle },
      doc: folderEntriesDoc,
    },
  ];
}

function entryJson({ id, name, contentType, sizeBytes, mayDownload }: ListedEntry) {
  if (contentType === undefined) return { id, name };
  return {
    ...{ id, name, content_type: contentType, size_bytes: sizeBytes },
    allow_download: mayDownload,
  };
}

const headers = {
  ...privateHeaders,
  'content-type': 'application/json',
  'x-content-type-options': 'nosniff',
};
