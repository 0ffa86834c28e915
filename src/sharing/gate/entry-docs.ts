// The descriptions of the routes of a room's entries in the OpenAPI document.
import type { RouteDoc } from '../../api/routes/route-doc.ts';

const text = { type: 'string' };
const folder = { id: text, name: text };

const objectOf = (
  title: string,
  properties: Readonly<Record<string, object>>,
  required: readonly string[],
) => ({ title, type: 'object', properties, required });

const listing = objectOf(
  'RoomEntries',
  {
    folder: {
      ...objectOf('RoomFolder', folder, ['id', 'name']),
      description: 'The folder. Its `name` is empty if the link hides its title.',
    },
    entries: {
      type: 'array',
      items: objectOf(
        'RoomEntry',
        {
          ...folder,
          content_type: { ...text, description: 'The media type of a document.' },
          size_bytes: { type: 'integer', description: 'The size of a document in bytes.' },
          allow_download: {
            type: 'boolean',
            description: 'Whether readers may download the document.',
          },
        },
        ['id', 'name'],
      ),
      description:
        'At most 200: folders before documents, by name. A folder has only `id` and `name`.',
    },
    next_page_token: {
      ...text,
      description: 'The `page_token` of the next page. Empty on the last page.',
    },
  },
  ['folder', 'entries', 'next_page_token'],
);

export const entriesDoc: RouteDoc = {
  id: 'listRoomEntries',
  tag: 'Shared links',
  summary: 'List the entries of a room',
  description:
    'The documents and folders in the folder of a link, as JSON, without those that the link ' +
    'hides. A listing is not a view. With `program_access`, a program can send a token of a ' +
    'token exchange for a user instead. `not_found` for a link to a document.',
  path: { slug: 'The secret part of the address of the link.' },
  query: {
    page_token: { description: 'The `next_page_token` of the previous page.', lengthMax: 1_500 },
  },
  needsAccess: true,
  acceptsPrograms: true,
  responses: {
    200: { description: 'The entries.', types: ['application/json'], schema: listing },
  },
  errors: ['invalid_argument', 'unauthenticated', 'forbidden', 'not_found', 'gone'],
};

export const folderEntriesDoc: RouteDoc = {
  ...entriesDoc,
  id: 'listRoomFolderEntries',
  summary: 'List the entries of a folder of a room',
  description:
    'Like `listRoomEntries`, for a folder of the room. `not_found` unless the folder of the link ' +
    'contains it, and the link does not hide it.',
  path: { ...entriesDoc.path, folder_id: 'The id of a folder of the room.' },
};
