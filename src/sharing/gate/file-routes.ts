// The routes of a document's bytes, of a link to it or of a room that contains it.
import { createHash } from 'node:crypto';
import type { AuthenticateProgram } from '../../api/routes/program-reader.ts';
import { inRoom } from '../../api/routes/room-docs.ts';
import type { HttpRoute, RouteReply, RouteRequest } from '../../api/routes/route.ts';
import type { RouteDoc } from '../../api/routes/route-doc.ts';
import { whileGranted } from '../../api/while-granted.ts';
import type { Clock } from '../../base/clock.ts';
import { fail } from '../../base/errors/errors.ts';
import { createDownloadHead, startBody } from '../../base/http/download.ts';
import { isStampable, pdfNameOf } from '../../base/http/pdf-types.ts';
import { requireShownVersion, versionHeader } from '../../base/http/shown-version.ts';
import { viewerKindOf } from '../../base/http/viewer-kinds.ts';
import type { DocumentRow } from '../../storage/schema/schema.ts';
import type { Documents } from '../documents/documents.ts';
import type { SharedDocument } from '../links/links.ts';
import type { Previews } from '../previews/previews.ts';
import type { StampedFile, Watermarks } from '../watermarks/watermarks.ts';
import {
  type AccessOptions,
  type GrantedAccess,
  privateHeaders,
  type Reader,
  requireFileAccess,
} from './gate.ts';
import { shownNameOf } from './presentation.ts';
import { linkDownloadDoc, linkFileDoc, linkVersionFileDoc } from './route-docs.ts';

export type FileRouteOptions = AccessOptions & {
  readonly documents: Documents;
  readonly previews: Previews;
  readonly watermarks: Pick<Watermarks, 'stamp'>;
  readonly authenticateProgram: AuthenticateProgram;
  readonly now: Clock;
  readonly recordOpening: (reader: Reader) => Promise<void>;
  readonly recordDownload: (reader: Reader) => Promise<void>;
};

type Sending = {
  readonly reader: Reader;
  readonly record: () => Promise<void>;
  /** Throws if the reader has lost access since the response began. */
  readonly check: () => Promise<unknown>;
};

export function fileRoutes(options: FileRouteOptions): HttpRoute[] {
  const { documents, previews, watermarks, now } = options;

  async function sendStored(
    shared: SharedDocument,
    request: RouteRequest,
    disposition: 'inline' | 'attachment',
    { record, check }: Pick<Sending, 'record' | 'check'>,
  ): Promise<RouteReply> {
    const asked = {
      // Ranges are defined only for GET (RFC 9110 §14.2).
      range: request.isHead ? '' : (request.header('range') ?? ''),
      ifMatch: request.header('if-match') ?? '',
      ifRange: request.header('if-range') ?? '',
      ifNoneMatch: request.header('if-none-match') ?? '',
    };
    const isNamed = request.variables.version !== undefined;
    const { header, bytes } = documents.open(
      { ...shared.document, name: shownNameOf(shared) },
      isNamed ? asked : await documents.dropUnsafeRange(shared.document, asked),
      readerEtagOf(shared.document),
    );
    const { status, headers } = createDownloadHead(header, disposition);
    const own = { ...headers, ...headersOf(shared.document) };
    if (request.isHead || header.notModified) return { status, headers: own, body: undefined };
    const isLimited = shared.link.view_limit !== null;
    if (isLimited) await record();
    request.reserveBody(shared.document.workspace_id);
    const body = await startBody(whileGranted(bytes(), check));
    if (!isLimited) await record();
    return { status, headers: own, body };
  }

  async function sendStamped(
    { link, document, ...shared }: SharedDocument,
    request: RouteRequest,
    disposition: 'inline' | 'attachment',
    { reader, record, check }: Sending,
  ): Promise<RouteReply> {
    const { content_type: contentType, size_bytes: sizeBytes, page_count: pages } = document;
    if (!isStampable(contentType)) {
      throw fail('forbidden', 'The sender requires a watermark, but this file cannot have one.');
    }
    const name = shownNameOf({ ...shared, link, document: { ...document, ...stampedType } });
    const head = (lengthBytes?: number) => {
      const facts = { ...stampedFacts, name: pdfNameOf(name), sizeBytes, lengthBytes: 0 };
      const { status, headers } = createDownloadHead(facts, disposition);
      const { 'content-length': _, ...known } = headers;
      const length = lengthBytes === undefined ? {} : { 'content-length': String(lengthBytes) };
      return { status, headers: { ...known, ...length, ...headersOf(document) } };
    };
    // The length is not known before the file is stamped.
    if (request.isHead) return { ...head(), body: undefined };
    request.reserveBody(document.workspace_id);
    const { bytes } = documents.open(document, wholeFile);
    const text = watermarkOf(reader, now());
    const stamped = await watermarks.stamp({
      ...{ contentType, sizeBytes, pages, text, bytes, sha256: document.sha256 },
      ...{ workspaceId: link.workspace_id, network: reader.network, signal: request.signal() },
    });
    await record().catch((error: unknown) => closeAndThrow(stamped, error));
    const body = await startBody(whileGranted(stamped.bytes(), check));
    return { ...head(stamped.sizeBytes), body };
  }

  async function shown(shared: SharedDocument): Promise<SharedDocument> {
    const { document } = await previews.show(shared.document);
    return { ...shared, document };
  }

  async function viewable(shared: SharedDocument): Promise<SharedDocument> {
    const preview = await shown(shared);
    if (viewerKindOf(preview.document.content_type) !== undefined) return preview;
    throw fail('forbidden', 'The browser cannot show this file type.');
  }

  /** Every byte of a document leaves here, so that no route sends it without its watermark. */
  async function send(
    { shared, reader }: GrantedAccess,
    request: RouteRequest,
    disposition: 'inline' | 'attachment',
    check: Sending['check'],
  ): Promise<RouteReply> {
    const isInline = disposition === 'inline';
    const record = () =>
      isInline ? options.recordOpening(reader) : options.recordDownload(reader);
    if (shared.link.watermark === 1) {
      return sendStamped(await shown(shared), request, disposition, { reader, record, check });
    }
    const sent = isInline ? await viewable(shared) : shared;
    return sendStored(sent, request, disposition, { record, check });
  }

  async function sendFile(request: RouteRequest): Promise<RouteReply> {
    const require = () => requireFileAccess(options, request);
    const access = await require();
    requireShownVersion(access.shared.document, request.variables.version);
    return send(access, request, 'inline', require);
  }

  async function download(request: RouteRequest): Promise<RouteReply> {
    const require = async () => {
      const access = await requireFileAccess(options, request);
      if (access.shared.mayDownload) return access;
      throw fail('forbidden', 'The sender does not allow downloads.');
    };
    return send(await require(), request, 'attachment', require);
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

/** Does not reveal the digest of the bytes: a reader could find a short text without a view. */
const readerEtagOf = ({ blob_id, sha256 }: DocumentRow) =>
  `"${createHash('sha256').update(`${blob_id} ${sha256}`).digest('base64url')}"`;

const headersOf = (document: DocumentRow) => ({ ...privateHeaders, ...versionHeader(document) });

const wholeFile = { range: '', ifMatch: '', ifRange: '', ifNoneMatch: '' };
const stampedType = { content_type: 'application/pdf' };

const stampedFacts = {
  contentType: stampedType.content_type,
  etag: '',
  generated: false,
  partial: false,
  notModified: false,
  offsetBytes: 0,
};

/** The id finds the link in the console, and does not open it. */
function watermarkOf({ accessSession, link }: Reader, now: number): string {
  const minute = new Date(now).toISOString().slice(0, 16).replace('T', ' ');
  return `${accessSession.email || 'Anonymous'} · ${minute} UTC · ${link.id}`;
}

async function closeAndThrow(stamped: StampedFile, error: unknown): Promise<never> {
  await stamped.close();
  throw error;
}
