// The routes of a shared link: its page, its gate's form, and the document's bytes.
import { Readable } from 'node:stream';
import { serialize as serializeCookie } from 'cookie';
import { readEmail } from '../../email.ts';
import { downloadHead, inlineTypes } from '../../http/download.ts';
import type { Page, PageReply, PageRequest } from '../../http/page.ts';
import { fail } from '../../rpc/errors.ts';
import type { Documents } from '../documents/documents.ts';
import type { SharedDocument } from '../links/links.ts';
import type { Admission, Gate } from './gate.ts';
import { decideOn, requireOpen } from './opened.ts';
import type { GatePages } from './pages.ts';
import { passName } from './pass.ts';

export type GateRouteOptions = {
  readonly gate: Gate;
  readonly pages: GatePages;
  readonly documents: Documents;
  /** The service's own origin. */
  readonly publicUrl: () => string;
};

export function gateRoutes({ gate, pages, documents, publicUrl }: GateRouteOptions): Page[] {
  function cookieOf(slug: string, { pass, maxAgeSeconds }: Admission): string {
    return serializeCookie(passName, pass, {
      path: `/s/${slug}`,
      maxAge: maxAgeSeconds,
      httpOnly: true,
      sameSite: 'lax',
      secure: publicUrl().startsWith('https:'),
    });
  }

  async function showPage(request: PageRequest): Promise<PageReply> {
    const decision = await decideOn(gate, request);
    switch (decision.kind) {
      case 'unknown':
        return pages.unknown();
      case 'gone':
        return pages.gone();
      case 'open':
        return pages.document(decision.shared);
      case 'ask': {
        const { link } = decision.shared;
        if (!gate.isOpen(link)) return pages.ask();
        // Who only asks what there is has not viewed it.
        if (request.isHead) return pages.document(decision.shared);
        const admission = await gate.admit(link, '');
        return pages.document(decision.shared, cookieOf(link.slug, admission));
      }
    }
  }

  async function takeForm(request: PageRequest): Promise<PageReply> {
    const decision = await decideOn(gate, request);
    if (decision.kind === 'unknown') return pages.unknown();
    if (decision.kind === 'gone') return pages.gone();
    const { link } = decision.shared;
    if (decision.kind === 'open' || gate.isOpen(link)) return seeOther(link.slug);
    const email = readEmail(request.form.get('email') ?? '');
    if (email === undefined)
      return pages.ask('Please give an e-mail address like name@example.com.');
    return seeOther(link.slug, cookieOf(link.slug, await gate.admit(link, email)));
  }

  function send(
    { document }: SharedDocument,
    request: PageRequest,
    disposition: 'inline' | 'attachment',
  ): PageReply {
    const { header, bytes } = documents.open(document, {
      range: request.header('range') ?? '',
      ifRange: request.header('if-range') ?? '',
      ifNoneMatch: request.header('if-none-match') ?? '',
    });
    const { status, headers } = downloadHead(header, disposition);
    const own = {
      ...headers,
      // What was revoked must not live on in a browser's cache.
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
      'cross-origin-resource-policy': 'same-origin',
    };
    if (request.isHead || header.notModified) return { status, headers: own, body: undefined };
    return { status, headers: own, body: Readable.from(bytes(), { objectMode: false }) };
  }

  return [
    { method: 'GET', path: '/s/{slug}', name: 'link page', answer: showPage },
    { method: 'POST', path: '/s/{slug}', name: 'link gate', answer: takeForm },
    {
      method: 'GET',
      path: '/s/{slug}/file',
      name: 'link file',
      async answer(request) {
        const { shared } = await requireOpen(gate, request);
        if (!inlineTypes.has(shared.document.content_type)) {
          throw fail('forbidden', 'This kind of file is not shown in place.');
        }
        return send(shared, request, 'inline');
      },
    },
    {
      method: 'GET',
      path: '/s/{slug}/download',
      name: 'link download',
      async answer(request) {
        const { shared } = await requireOpen(gate, request);
        if (shared.link.allow_download !== 1) {
          throw fail('forbidden', 'The link does not offer the file as a download.');
        }
        return send(shared, request, 'attachment');
      },
    },
  ];
}

function seeOther(slug: string, setCookie?: string): PageReply {
  const headers = {
    location: `/s/${slug}`,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    ...(setCookie === undefined ? {} : { 'set-cookie': setCookie }),
  };
  return { status: 303, headers, body: undefined };
}
