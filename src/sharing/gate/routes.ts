// The routes of a shared link: its HTML, its gate's form, and the document's bytes.

import type { HttpRoute, RouteReply, RouteRequest } from '../../api/routes/route.ts';
import { fail } from '../../base/errors/errors.ts';
import { createDownloadHead, startBody } from '../../base/http/download.ts';
import { requireShownVersion, versionHeader } from '../../base/http/shown-version.ts';
import { viewerKindOf } from '../../base/http/viewer-kinds.ts';
import { networkOf } from '../../base/net/network.ts';
import type { LinkRow } from '../../storage/schema.ts';
import type { Brands } from '../brand/brand.ts';
import type { Documents } from '../documents/documents.ts';
import type { SharedDocument } from '../links/links.ts';
import type { AccessSession } from './access-session.ts';
import type { GateCookies } from './cookies.ts';
import { type Gate, requiresCode } from './gate.ts';
import type { GateHtml } from './gate-html.ts';
import type { GateSteps, StepOutcome } from './gate-steps.ts';
import { shownNameOf, titleOf } from './presentation.ts';
import { checkAccess, requireAccess } from './require-access.ts';
import {
  linkDownloadDoc,
  linkFileDoc,
  linkVersionFileDoc,
  showLinkDoc,
  submitGateDoc,
} from './route-docs.ts';

export type GateRouteOptions = {
  readonly gate: Gate;
  readonly steps: GateSteps;
  readonly cookies: GateCookies;
  readonly html: GateHtml;
  readonly documents: Documents;
  readonly brands: Brands;
  readonly recordOpening: (reader: Reader) => Promise<void>;
  readonly recordDownload: (reader: Reader) => Promise<void>;
};

type Reader = {
  readonly accessSession: AccessSession;
  readonly link: LinkRow;
  readonly version: number;
  readonly network: string;
};

export function gateRoutes(options: GateRouteOptions): HttpRoute[] {
  const { gate, steps, cookies, html, documents, brands } = options;

  const documentHtml = async (shared: SharedDocument) =>
    html.document(shared, await brands.of(shared.link.workspace_id));

  async function showHtml(request: RouteRequest): Promise<RouteReply> {
    const decision = await checkAccess(options, request);
    switch (decision.kind) {
      case 'unknown':
        return html.unknown();
      case 'gone':
        return html.gone();
      case 'open':
        return documentHtml(decision.shared);
      case 'ask': {
        const { link } = decision.shared;
        if (!gate.isOpen(link)) {
          return askFor(decision.shared, { state: cookies.readState(request, link) });
        }
        const shown = await documentHtml(decision.shared);
        // A HEAD request is not a view.
        if (request.isHead) return shown;
        const admission = await gate.admit(link, { email: '' });
        return withCookies(
          shown,
          typeof admission === 'string' ? [] : [cookies.writeAccess(link, admission)],
        );
      }
    }
  }

  async function askFor(
    shared: SharedDocument,
    outcome: StepOutcome,
    given = '',
  ): Promise<RouteReply> {
    const { link } = shared;
    const { state, repeatedStep, refusal, hasResent } = outcome;
    const form = {
      step: repeatedStep ?? steps.nextStep(link, state) ?? 'email',
      requiresVerification: requiresCode(link),
      email: given === '' ? (state.email ?? '') : given,
      ...(refusal === undefined ? {} : { error: refusal.text }),
      ...(hasResent === true ? { notice: 'We sent a new code. Older codes no longer work.' } : {}),
    };
    const brand = await brands.of(link.workspace_id);
    return html.ask(form, { brand, title: titleOf(shared) }, refusal);
  }

  async function submitForm(request: RouteRequest): Promise<RouteReply> {
    const decision = await checkAccess(options, request);
    if (decision.kind === 'unknown') return html.unknown();
    if (decision.kind === 'gone') return html.gone();
    const { shared } = decision;
    const { link } = shared;
    if (decision.kind === 'open' || gate.isOpen(link)) return seeOther(link);
    const visitor = {
      network: networkOf(request.peer),
      state: cookies.readState(request, link),
      browser: cookies.readBrowser(request, link),
      title: titleOf(shared),
    };
    const outcome = await steps.submit(link, request.form, visitor);
    const { state, admission, refusal, hasResent } = outcome;
    const set: string[] = [];
    if (admission !== undefined) set.push(cookies.writeAccess(link, admission));
    else if (state !== visitor.state || hasResent === true)
      set.push(cookies.writeState(link, state));
    const isNew = outcome.hasShownPassword === true && visitor.browser === undefined;
    if (isNew || outcome.verifiedEmail !== undefined) {
      set.push(cookies.writeBrowser(link, outcome.verifiedEmail));
    }
    if (refusal === undefined && hasResent !== true) return withCookies(seeOther(link), set);
    const given = outcome.repeatedStep === 'email' ? (request.form.get('email') ?? '') : '';
    return withCookies(await askFor(shared, outcome, given.slice(0, emailShownMax)), set);
  }

  async function send(
    shared: SharedDocument,
    request: RouteRequest,
    disposition: 'inline' | 'attachment',
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
    request.reserveBody(shared.document.workspace_id);
    return { status, headers: own, body: await startBody(bytes()) };
  }

  async function sendFile(request: RouteRequest): Promise<RouteReply> {
    const { shared, accessSession } = await requireAccess(options, request);
    requireShownVersion(shared.document, request.variables.version);
    if (viewerKindOf(shared.document.content_type) === undefined) {
      throw fail('forbidden', 'The browser cannot show this file type.');
    }
    const reply = await send(shared, request, 'inline');
    if (reply.body !== undefined)
      await options.recordOpening(readerOf(shared, accessSession, request));
    return reply;
  }

  return [
    { method: 'GET', path: '/s/{slug}', name: 'link', doc: showLinkDoc, handle: showHtml },
    {
      method: 'POST',
      path: '/s/{slug}',
      name: 'link gate',
      doc: submitGateDoc,
      handle: submitForm,
    },
    {
      method: 'GET',
      path: '/s/{slug}/file',
      name: 'link file',
      doc: linkFileDoc,
      handle: sendFile,
    },
    {
      method: 'GET',
      path: '/s/{slug}/versions/{version}/file',
      name: 'link version file',
      doc: linkVersionFileDoc,
      handle: sendFile,
    },
    {
      method: 'GET',
      path: '/s/{slug}/download',
      name: 'link download',
      doc: linkDownloadDoc,
      async handle(request) {
        const { shared, accessSession } = await requireAccess(options, request);
        if (shared.link.allow_download !== 1) {
          throw fail('forbidden', 'The sender does not allow downloads.');
        }
        const reply = await send(shared, request, 'attachment');
        if (reply.body !== undefined)
          await options.recordDownload(readerOf(shared, accessSession, request));
        return reply;
      },
    },
  ];
}

function readerOf(
  { link, document }: SharedDocument,
  accessSession: AccessSession,
  { peer }: RouteRequest,
): Reader {
  return { accessSession, link, version: document.version, network: networkOf(peer) };
}

/** A refused address is shown again for correction, up to this length. */
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
