// The routes of a shared link's HTML: the form of its gate, the document, and the pages of a room.

import type { HttpRoute, RouteReply, RouteRequest } from '../../api/routes/route.ts';
import type { RouteDoc } from '../../api/routes/route-doc.ts';
import { networkOf } from '../../base/net/network.ts';
import type { LinkRow } from '../../storage/schema/schema.ts';
import type { Agreements } from '../agreements/agreements.ts';
import type { Brands } from '../brand/brand.ts';
import type { Shared } from '../links/links.ts';
import type { Rooms } from '../rooms/rooms.ts';
import { entryRoutes } from './entry-routes.ts';
import { type FileRouteOptions, fileRoutes } from './file-routes.ts';
import { checkAccess, hasAgreement, requiresCode, selectDocument } from './gate.ts';
import type { GateHtml } from './gate-html.ts';
import type { GateSteps, StepOutcome } from './gate-steps.ts';
import { presentationOf, titleOf } from './presentation.ts';
import type { RememberedReaders } from './remembered-readers.ts';
import {
  roomDocumentDoc,
  roomFolderDoc,
  showLinkDoc,
  submitGateDoc,
  submitInRoomDoc,
} from './route-docs.ts';

export type GateRouteOptions = FileRouteOptions & {
  readonly rooms: Rooms;
  readonly steps: GateSteps;
  readonly remembered: RememberedReaders;
  readonly html: GateHtml;
  readonly brands: Brands;
  readonly agreements: Pick<Agreements, 'textOf'>;
};

export function gateRoutes(options: GateRouteOptions): HttpRoute[] {
  const { gate, steps, cookies, html, rooms, previews, brands, agreements } = options;
  const { remembered } = options;

  /** The verified address that the browser remembers, if the link asks for one. */
  const findRemembered = async (request: RouteRequest, link: LinkRow) =>
    requiresCode(link)
      ? remembered.find(placeOf(request, link), cookies.readReader(request, link))
      : undefined;

  const readState = (request: RouteRequest, link: LinkRow) =>
    steps.checkState(link, cookies.readState(request, link));

  async function entryHtml(
    shared: Shared,
    request: RouteRequest,
    readerEmail = '',
  ): Promise<RouteReply> {
    const brand = await brands.of(shared.link.workspace_id, request.domain?.origin);
    const { folder_id: folderId, document_id: documentId } = request.variables;
    if ('document' in shared || documentId !== undefined) {
      const found =
        folderId === undefined ? await selectDocument(options, shared, request) : undefined;
      if (found === undefined) return html.noEntry(shared.link);
      const shown = { ...found, ...(await previews.show(found.document)), readerEmail };
      if (found.path === undefined) return html.document(shown, brand);
      const [branches, neighbours] = await Promise.all([
        rooms.branches(found.path, found.link),
        rooms.neighbours(found),
      ]);
      return html.document(shown, brand, { path: found.path, branches, neighbours });
    }
    const folder = await rooms.findFolder(shared, folderId ?? shared.folder.id);
    if (folder === undefined) return html.noEntry(shared.link);
    const query = (request.query.get('query') ?? '').trim().slice(0, queryMax);
    const branchesOf = () => rooms.branches(folder.path, folder.link);
    if (query !== '') {
      const searcher = { network: networkOf(request.peer), signal: request.signal() };
      const found = await rooms.search(shared, query, searcher);
      if (found === undefined) return html.busy();
      const content = { query, found };
      return html.folder(folder, brand, { branches: await branchesOf(), content });
    }
    const content = await rooms.list(folder, request.query.get('page_token') ?? '');
    if (content === undefined) return html.noEntry(shared.link);
    return html.folder(folder, brand, { branches: await branchesOf(), content });
  }

  async function showHtml(request: RouteRequest): Promise<RouteReply> {
    const decision = await checkAccess(options, request);
    switch (decision.kind) {
      case 'unknown':
        return html.unknown();
      case 'gone':
        return html.gone();
      case 'open':
        return entryHtml(decision.shared, request, decision.accessSession.email);
      case 'ask': {
        const { link } = decision.shared;
        if (!gate.isOpen(link)) {
          return askFor(request, decision.shared, { state: await readState(request, link) });
        }
        const shown = await entryHtml(decision.shared, request);
        // A HEAD request is not a view.
        if (request.isHead) return shown;
        const admission = gate.admit(link, { email: '' });
        return withCookies(
          shown,
          typeof admission === 'string' ? [] : [cookies.writeAccess(request, link, admission)],
        );
      }
    }
  }

  async function askFor(
    request: RouteRequest,
    shared: Shared,
    outcome: StepOutcome,
    given = '',
  ): Promise<RouteReply> {
    const { link } = shared;
    const { state, repeatedStep, refusal, hasResent } = outcome;
    const step = repeatedStep ?? steps.nextStep(link, state) ?? 'email';
    const rememberedEmail = step === 'email' ? await findRemembered(request, link) : undefined;
    const email = given === '' ? (state.email ?? rememberedEmail ?? '') : given;
    const form = {
      step,
      steps: steps.stepsOf(link),
      agreement: {
        text: step === 'agreement' ? await agreements.textOf(link) : '',
        sha256: link.agreement_sha256,
      },
      requiresVerification: requiresCode(link),
      hasAgreement: hasAgreement(link),
      isRemembered: email !== '' && email === rememberedEmail,
      email,
      ...(refusal === undefined ? {} : { error: refusal.text }),
      ...(hasResent === true ? { notice: 'We sent a new code. Older codes no longer work.' } : {}),
    };
    const brand = await brands.of(link.workspace_id, request.domain?.origin);
    return html.ask(form, presentationOf(shared, brand), refusal);
  }

  async function submitForm(request: RouteRequest): Promise<RouteReply> {
    const decision = await checkAccess(options, request);
    if (decision.kind === 'unknown') return html.unknown();
    if (decision.kind === 'gone') return html.gone();
    const { shared } = decision;
    const { link } = shared;
    if (decision.kind === 'open' || gate.isOpen(link)) return seeOther(link, request);
    if (request.form.has('forget')) return forget(request, link);
    const visitor = {
      network: networkOf(request.peer),
      state: await readState(request, link),
      browser: cookies.readBrowser(request, link),
      rememberedEmail: await findRemembered(request, link),
      title: titleOf(shared),
    };
    const outcome = await steps.submit(link, request.form, visitor);
    const { state, admission, refusal, hasResent } = outcome;
    const set: string[] = [];
    if (admission !== undefined) set.push(cookies.writeAccess(request, link, admission));
    else if (state !== visitor.state || hasResent === true)
      set.push(cookies.writeState(request, link, state));
    const isNew = outcome.hasShownPassword === true && visitor.browser === undefined;
    if (isNew || outcome.verifiedEmail !== undefined) {
      set.push(cookies.writeBrowser(request, link, outcome.verifiedEmail));
    }
    if (outcome.verifiedEmail !== undefined && state.remembers === true) {
      await remembered.forget(placeOf(request, link), cookies.readReader(request, link));
      const cookie = await remembered.add(placeOf(request, link), outcome.verifiedEmail);
      set.push(cookies.writeReader(request, link, cookie));
    }
    if (refusal === undefined && hasResent !== true)
      return withCookies(seeOther(link, request), set);
    const given = outcome.repeatedStep === 'email' ? (request.form.get('email') ?? '') : '';
    return withCookies(await askFor(request, shared, outcome, given.slice(0, emailShownMax)), set);
  }

  /** The browser forgets the reader, at all links of the workspace. */
  async function forget(request: RouteRequest, link: LinkRow): Promise<RouteReply> {
    await remembered.forget(placeOf(request, link), cookies.readReader(request, link));
    return withCookies(seeOther(link, request), [cookies.writeReader(request, link)]);
  }

  /** A page, and the form of the gate at the same address. */
  function pageRoutes(path: string, docs: readonly [RouteDoc, RouteDoc]): HttpRoute[] {
    const [show, submit] = docs;
    return [
      { method: 'GET', path, name: 'link', doc: show, handle: showHtml },
      { method: 'POST', path, name: 'link gate', doc: submit, handle: submitForm },
    ];
  }

  return [
    ...pageRoutes('/s/{slug}', [showLinkDoc, submitGateDoc]),
    ...pageRoutes('/s/{slug}/folders/{folder_id}', [roomFolderDoc, submitInRoomDoc('folder')]),
    ...pageRoutes('/s/{slug}/documents/{document_id}', [
      roomDocumentDoc,
      submitInRoomDoc('document'),
    ]),
    ...entryRoutes(options),
    ...fileRoutes(options),
  ];
}

const placeOf = ({ domain }: RouteRequest, link: LinkRow) => ({ link, domain });

/** A refused address is shown again for correction, up to this length. */
const emailShownMax = 254;

const queryMax = 100;

/** Leads to the page at the address of the form. */
function seeOther({ slug }: LinkRow, { variables }: RouteRequest): RouteReply {
  const { folder_id: folderId, document_id: documentId } = variables;
  const entry =
    (folderId === undefined ? '' : `/folders/${encodeURIComponent(folderId)}`) +
    (documentId === undefined ? '' : `/documents/${encodeURIComponent(documentId)}`);
  const headers = {
    location: `/s/${slug}${entry}`,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  };
  return { status: 303, headers, body: undefined };
}

function withCookies(reply: RouteReply, cookies: string[]): RouteReply {
  if (cookies.length === 0) return reply;
  return { ...reply, headers: { ...reply.headers, 'set-cookie': cookies } };
}
