// The HTML of a shared link reports here which pages its reader sees (`navigator.sendBeacon`).

import { inRoom } from '../../api/routes/room-docs.ts';
import type { HttpRoute, RouteReply, RouteRequest } from '../../api/routes/route.ts';
import type { RouteDoc } from '../../api/routes/route-doc.ts';
import { invalid } from '../../base/errors/errors.ts';
import { versionHeader, versionHeaderDoc } from '../../base/http/shown-version.ts';
import { viewerKindOf } from '../../base/http/viewer-kinds.ts';
import type { DocumentRow } from '../../storage/schema/schema.ts';
import type { Documents } from '../documents/documents.ts';
import type { GrantedAccess } from '../gate/gate.ts';
import type { ReaderViews, ViewReport } from './reader-views.ts';

export type ViewRouteOptions = {
  readonly report: ReaderViews['report'];
  readonly documents: Pick<Documents, 'selectVersion'>;
  /** Returns the access of the request's session. Throws if the request has no access. */
  readonly requireAccess: (request: RouteRequest) => Promise<GrantedAccess>;
};

export function viewRoutes(options: ViewRouteOptions): HttpRoute[] {
  const { report, documents, requireAccess } = options;

  async function handle(request: RouteRequest): Promise<RouteReply> {
    const { reader, shared } = await requireAccess(request);
    const { document } = shared;
    const named = readVersion(request.form) ?? document.version;
    const headers = { 'cache-control': 'no-store', ...versionHeader(document) };
    const noted = { status: 204, headers, body: undefined };
    const read = await documents.selectVersion(document, named);
    // The version was deleted while the reader had it open.
    if (read === undefined) return noted;
    const { version } = read;
    const times = readReport(request.form, lastPageOf(read));
    await report({ ...reader, version }, times, version === document.version);
    return noted;
  }

  const name = 'link view';
  return [
    { method: 'POST', path: '/s/{slug}/view', name, doc, handle },
    {
      ...{ method: 'POST', path: '/s/{slug}/documents/{document_id}/view', name, handle },
      doc: inRoom(doc),
    },
  ];
}

const pagesMax = 500;

const doc: RouteDoc = {
  id: 'reportLinkView',
  tag: 'Shared links',
  summary: 'Report a view',
  description: 'The viewer reports which pages are visible, and for how long.',
  path: { slug: 'The secret part of the address of the link.' },
  needsAccess: true,
  form: {
    visit: {
      description: 'A random id that the viewer creates for each visit.',
      isRequired: true,
      pattern: '^[0-9a-z]{16}$',
    },
    pages: {
      description: `Pages and milliseconds: \`1:2500,2:800\`. At most ${pagesMax} pages.`,
      isRequired: true,
    },
    version: {
      description: 'The version of the document that the page shows. Default: the current one.',
      pattern: '^[1-9][0-9]{0,8}$',
    },
  },
  responses: {
    204: { description: 'The service has noted the times.', headers: versionHeaderDoc },
  },
  errors: [
    ...(['invalid_argument', 'forbidden', 'not_found', 'gone'] as const),
    ...(['payload_too_large', 'unsupported_media_type', 'canceled'] as const),
  ],
};

/** The highest page number that is accepted for a PDF whose pages were not counted. */
const lastPageUnknown = 10_000;

/** The highest page number; 0 if the viewer does not show the document. */
function lastPageOf({ content_type, page_count }: DocumentRow): number {
  // Also of a preview.
  if (page_count > 0) return page_count;
  const kind = viewerKindOf(content_type);
  if (kind === undefined) return 0;
  return kind === 'pdf' ? lastPageUnknown : 1;
}

const fieldNames: readonly string[] = ['visit', 'pages', 'version'];

/** Undefined in a report of a page from an earlier release. */
function readVersion(form: URLSearchParams): number | undefined {
  if (!form.has('version')) return undefined;
  const text = readField(form, 'version');
  if (!/^[1-9]\d{0,8}$/.test(text)) throw invalid('version', 'must be the number of a version');
  return Number(text);
}

/** `visit` is a random id that the viewer creates; `pages` is `<page>:<milliseconds>,…`. */
function readReport(form: URLSearchParams, lastPage: number): ViewReport {
  for (const name of form.keys()) {
    if (!fieldNames.includes(name)) throw invalid(name.slice(0, 64), 'is not a field of this form');
  }
  const visit = readField(form, 'visit');
  if (!/^[0-9a-z]{16}$/.test(visit)) throw invalid('visit', 'must be 16 of the characters 0-9a-z');
  const entries = readField(form, 'pages').split(',', pagesMax + 1);
  if (entries.length > pagesMax) throw invalid('pages', `must name at most ${pagesMax} pages`);
  const pages = new Map<number, number>();
  for (const entry of entries) {
    const [, page, duration] = /^(\d{1,5}):(\d{1,8})$/.exec(entry) ?? [];
    if (page === undefined) throw invalid('pages', 'must have the form 1:2500,2:800');
    const number = Number(page);
    if (number > lastPage) throw invalid('pages', `must not name a page after ${lastPage}`);
    if (pages.has(number)) throw invalid('pages', `must name page ${number} only once`);
    pages.set(number, Number(duration));
  }
  return { visit, pages };
}

function readField(form: URLSearchParams, name: string): string {
  const [value, ...more] = form.getAll(name);
  if (value === undefined || more.length > 0) throw invalid(name, 'must be set exactly once');
  return value;
}
