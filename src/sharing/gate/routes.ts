// The routes of a shared link: its page, its gate's form, and the document's bytes.

import { fail } from '../../errors/errors.ts';
import { downloadBody, downloadHead } from '../../http/download.ts';
import { inlineTypes } from '../../http/inline-types.ts';
import type { HttpRoute, RouteReply, RouteRequest } from '../../http/route.ts';
import { networkOf } from '../../net/network.ts';
import type { LinkRow } from '../../storage/schema.ts';
import type { Documents } from '../documents/documents.ts';
import type { SharedDocument } from '../links/links.ts';
import type { GateCookies } from './cookies.ts';
import type { Entrance, Outcome } from './entrance.ts';
import type { Gate } from './gate.ts';
import { decideOn, requireOpen } from './opened.ts';
import type { GatePages } from './pages.ts';

export type GateRouteOptions = {
  readonly gate: Gate;
  readonly entrance: Entrance;
  readonly cookies: GateCookies;
  readonly pages: GatePages;
  readonly documents: Documents;
};

export function gateRoutes(options: GateRouteOptions): HttpRoute[] {
  const { gate, entrance, cookies, pages, documents } = options;

  async function showPage(request: RouteRequest): Promise<RouteReply> {
    const decision = await decideOn(options, request);
    switch (decision.kind) {
      case 'unknown':
        return pages.unknown();
      case 'gone':
        return pages.gone();
      case 'open':
        return pages.document(decision.shared);
      case 'ask': {
        const { link } = decision.shared;
        if (!gate.isOpen(link)) {
          return askFor(link, { progress: cookies.progressOf(request, link) });
        }
        const page = pages.document(decision.shared);
        // Who only asks what there is has not viewed it.
        if (request.isHead) return page;
        const admission = await gate.admit(link, { email: '' });
        return withCookies(
          page,
          admission === undefined ? [] : [cookies.writePass(link, admission)],
        );
      }
    }
  }

  function askFor(link: LinkRow, outcome: Outcome, given = ''): RouteReply {
    const { progress, again, refusal, hasResent } = outcome;
    const form = {
      step: again ?? entrance.stepOf(link, progress) ?? 'email',
      isProven: link.email_verification_required === 1,
      email: given === '' ? (progress.email ?? '') : given,
      ...(refusal === undefined ? {} : { error: refusal.text }),
      ...(hasResent === true ? { notice: 'We sent a new code. Older codes no longer work.' } : {}),
    };
    return pages.ask(form, refusal);
  }

  async function takeForm(request: RouteRequest): Promise<RouteReply> {
    const decision = await decideOn(options, request);
    if (decision.kind === 'unknown') return pages.unknown();
    if (decision.kind === 'gone') return pages.gone();
    const { link } = decision.shared;
    if (decision.kind === 'open' || gate.isOpen(link)) return seeOther(link);
    const visitor = {
      network: networkOf(request.peer),
      progress: cookies.progressOf(request, link),
      browser: cookies.browserOf(request, link),
    };
    const outcome = await entrance.take(link, request.form, visitor);
    const { progress, admission, refusal, hasResent } = outcome;
    const set: string[] = [];
    if (admission !== undefined) set.push(cookies.writePass(link, admission));
    else if (progress !== visitor.progress || hasResent === true)
      set.push(cookies.writeProgress(link, progress));
    const isNew = outcome.hasShownPassword === true && visitor.browser === undefined;
    if (isNew || outcome.provenEmail !== undefined) {
      set.push(cookies.writeBrowser(link, outcome.provenEmail));
    }
    if (refusal === undefined && hasResent !== true) return withCookies(seeOther(link), set);
    const given = outcome.again === 'email' ? (request.form.get('email') ?? '') : '';
    return withCookies(askFor(link, outcome, given.slice(0, emailShownMax)), set);
  }

  async function send(
    { document }: SharedDocument,
    request: RouteRequest,
    disposition: 'inline' | 'attachment',
  ): Promise<RouteReply> {
    const { header, bytes } = documents.open(document, {
      // A range is defined for GET alone (RFC 9110 §14.2).
      range: request.isHead ? '' : (request.header('range') ?? ''),
      ifMatch: request.header('if-match') ?? '',
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
    return { status, headers: own, body: await downloadBody(bytes()) };
  }

  return [
    { method: 'GET', path: '/s/{slug}', name: 'link page', answer: showPage },
    { method: 'POST', path: '/s/{slug}', name: 'link gate', answer: takeForm },
    {
      method: 'GET',
      path: '/s/{slug}/file',
      name: 'link file',
      async answer(request) {
        const { shared } = await requireOpen(options, request);
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
        const { shared } = await requireOpen(options, request);
        if (shared.link.allow_download !== 1) {
          throw fail('forbidden', 'The link does not offer the file as a download.');
        }
        return send(shared, request, 'attachment');
      },
    },
  ];
}

/** An address that was refused is shown again, to be corrected, but not whatever was sent. */
const emailShownMax = 254;

function seeOther({ slug }: LinkRow): RouteReply {
  const headers = {
    location: `/s/${slug}`,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  };
  return { status: 303, headers, body: undefined };
}

function withCookies(reply: RouteReply, cookies: string[]): RouteReply {
  if (cookies.length === 0) return reply;
  return { ...reply, headers: { ...reply.headers, 'set-cookie': cookies } };
}
