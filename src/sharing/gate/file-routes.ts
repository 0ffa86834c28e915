// The routes of a document's bytes, of a link to it or of a room that contains it.

import { inRoom } from '../../api/routes/room-docs.ts';
import type { HttpRoute, RouteReply, RouteRequest } from '../../api/routes/route.ts';
import type { RouteDoc } from '../../api/routes/route-doc.ts';
import { fail } from '../../base/errors/errors.ts';
import { createDownloadHead, startBody } from '../../base/http/download.ts';
import { requireShownVersion, versionHeader } from '../../base/http/shown-version.ts';
import { viewerKindOf } from '../../base/http/viewer-kinds.ts';
import { networkOf } from '../../base/net/network.ts';
import type { LinkRow } from '../../storage/schema.ts';
import type { Documents } from '../documents/documents.ts';
import type { SharedDocument } from '../links/links.ts';
import type { Previews } from '../previews/previews.ts';
import type { AccessSession } from './access-session.ts';
import { shownNameOf } from './presentation.ts';
import { type AccessOptions, type GrantedAccess, requireAccess } from './require-access.ts';
import { linkDownloadDoc, linkFileDoc, linkVersionFileDoc } from './route-docs.ts';

export type FileRouteOptions = AccessOptions & {
  readonly documents: Documents;
  readonly previews: Previews;
  /** Records the view of a reader who gets bytes. Fails only if the link has a limit. */
  readonly recordOpening: (reader: Reader) => Promise<void>;
  /** Counts a download. Fails only if the link has a limit. */
  readonly recordDownload: (reader: Reader) => Promise<void>;
};

type Reader = {
  readonly accessSession: AccessSession;
  readonly link: LinkRow;
  readonly documentId: string;
  readonly version: number;
  readonly network: string;
};

export function fileRoutes(options: FileRouteOptions): HttpRoute[] {
  const { documents, previews } = options;

  async function send(
    shared: SharedDocument,
    request: RouteRequest,
    disposition: 'inline' | 'attachment',
    record: () => Promise<void>,
  ): Promise<RouteReply> {
    const { header, bytes } = documents.open(
      { ...shared.document, name: shownNameOf(shared) },
      {
        // Ranges are defined only for GET (RFC 9110 §14.2).
        range: request.isHead ? '' : (request.header('range') ?? ''),
        ifMatch: request.header('if-match') ?? '',
        ifRange: request.header('if-range') ?? '',
        ifNoneMatch: request.header('if-none-match') ?? '',
      },
    );
    const { status, headers } = createDownloadHead(header, disposition);
    const own = {
      ...headers,
      // A browser's cache must not keep a document after a revocation.
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
      'cross-origin-resource-policy': 'same-origin',
      ...versionHeader(shared.document),
    };
    if (request.isHead || header.notModified) return { status, headers: own, body: undefined };
    const isLimited = shared.link.view_limit !== null;
    if (isLimited) await record();
    request.reserveBody(shared.document.workspace_id);
    const body = await startBody(bytes());
    if (!isLimited) await record();
    return { status, headers: own, body };
  }

  async function sendFile(request: RouteRequest): Promise<RouteReply> {
    const access = await requireAccess(options, request);
    const { shared } = access;
    requireShownVersion(shared.document, request.variables.version);
    const { document } = await previews.show(shared.document);
    if (viewerKindOf(document.content_type) === undefined) {
      throw fail('forbidden', 'The browser cannot show this file type.');
    }
    const reader = readerOf(access, request);
    return send({ ...shared, document }, request, 'inline', () => options.recordOpening(reader));
  }

  async function download(request: RouteRequest): Promise<RouteReply> {
    const access = await requireAccess(options, request);
    const { shared } = access;
    if (!shared.mayDownload) throw fail('forbidden', 'The sender does not allow downloads.');
    const reader = readerOf(access, request);
    return send(shared, request, 'attachment', () => options.recordDownload(reader));
  }

  /** A route of a link to a document, and the same one for a document of a room. */
  function bothRoutes(
    path: string,
    name: string,
    doc: RouteDoc,
    handle: HttpRoute['handle'],
  ): HttpRoute[] {
    return [
      { method: 'GET', path: `/s/{slug}${path}`, name, doc, handle },
      {
        ...{ method: 'GET', path: `/s/{slug}/documents/{document_id}${path}`, name, handle },
        doc: inRoom(doc),
      },
    ];
  }

  return [
    ...bothRoutes('/file', 'link file', linkFileDoc, sendFile),
    ...bothRoutes('/versions/{version}/file', 'link version file', linkVersionFileDoc, sendFile),
    ...bothRoutes('/download', 'link download', linkDownloadDoc, download),
  ];
}

function readerOf({ shared, accessSession }: GrantedAccess, { peer }: RouteRequest): Reader {
  const { link, document } = shared;
  const of = { accessSession, link, documentId: document.id };
  return { ...of, version: document.version, network: networkOf(peer) };
}
