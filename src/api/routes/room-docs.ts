// The descriptions of routes that links to a document and links to a folder both have.
import type { RouteDoc } from './route-doc.ts';

/** Describes the same route for a document of the room that a link to a folder opens. */
export function inRoom(doc: RouteDoc): RouteDoc {
  return {
    ...doc,
    id: `${doc.id}InRoom`,
    summary: `${doc.summary} (room)`,
    description:
      `${doc.description} For a link to a folder: \`not_found\` unless the folder contains the ` +
      'document, and the link does not hide it.',
    path: { ...doc.path, document_id: 'The id of a document of the room.' },
  };
}
