// The access that a request has to a shared document. Every route of a link requires it, except the
// HTML, which shows the gate instead.

import { type AuthenticateProgram, presentsToken } from '../../api/routes/program-reader.ts';
import type { RouteRequest } from '../../api/routes/route.ts';
import { fail } from '../../base/errors/errors.ts';
import type { Shared, SharedDocument } from '../links/links.ts';
import type { Rooms } from '../rooms/rooms.ts';
import type { AccessSession, GateCookies } from './cookies.ts';
import type { AccessDecision, Gate } from './gate.ts';

export type GrantedAccess = {
  readonly shared: SharedDocument;
  readonly accessSession: AccessSession;
};

export type AccessOptions = {
  readonly gate: Gate;
  readonly cookies: GateCookies;
  readonly rooms: Pick<Rooms, 'findDocument'>;
};

export function checkAccess(
  { gate, cookies }: AccessOptions,
  request: RouteRequest,
): Promise<AccessDecision> {
  const { variables, domain } = request;
  return gate.authorise(variables.slug ?? '', cookies.readAccess(request), domain);
}

type OpenAccess = {
  readonly shared: Shared;
  readonly accessSession: AccessSession;
};

type ProgramOptions = AccessOptions & { readonly authenticateProgram: AuthenticateProgram };

/** Throws `forbidden`, `gone` or `not_found` for a request without access. */
export async function requireAccess(
  options: AccessOptions,
  request: RouteRequest,
): Promise<GrantedAccess> {
  return grantDocument(options, request, grantLink(await checkAccess(options, request)));
}

/** Does the same for the bytes of a document, which a program may read with a token. */
export async function requireFileAccess(
  options: ProgramOptions,
  request: RouteRequest,
): Promise<GrantedAccess> {
  return grantDocument(options, request, await requireLinkAccess(options, request));
}

/** Does the same for whatever the link shows. */
export async function requireLinkAccess(
  options: ProgramOptions,
  request: RouteRequest,
): Promise<OpenAccess> {
  if (!presentsToken(request)) return grantLink(await checkAccess(options, request));
  const { gate, authenticateProgram } = options;
  const { variables, domain } = request;
  const authenticate = () => authenticateProgram(request);
  const decision = await gate.authoriseProgram(variables.slug ?? '', authenticate, domain);
  if (decision.kind === 'ask') throw fail('forbidden', 'The link does not admit this person.');
  return grantLink(decision);
}

function grantLink(decision: AccessDecision): OpenAccess {
  switch (decision.kind) {
    case 'open':
      return decision;
    case 'ask':
      throw fail('forbidden', "The reader has not passed the link's gate.");
    case 'gone':
      throw fail('gone', 'The link has expired, was revoked, or has no views left.');
    case 'unknown':
      throw fail('not_found', 'The link does not exist.');
  }
}

async function grantDocument(
  options: AccessOptions,
  request: RouteRequest,
  { shared: link, accessSession }: OpenAccess,
): Promise<GrantedAccess> {
  const shared = await selectDocument(options, link, request);
  if (shared === undefined) throw fail('not_found', 'The link does not show this document.');
  return { shared, accessSession };
}

/**
 * Returns the document that the path names: that of the link, or one that its room contains. Only
 * a path in a room has the id of a document.
 */
export async function selectDocument(
  { rooms }: Pick<AccessOptions, 'rooms'>,
  shared: Shared,
  { variables: { document_id: id } }: RouteRequest,
): Promise<SharedDocument | undefined> {
  if ('document' in shared) return id === undefined ? shared : undefined;
  return id === undefined ? undefined : rooms.findDocument(shared, id);
}

/** Of responses that only readers of a link may get: no cache may keep them after a revocation. */
export const privateHeaders = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
  'cross-origin-resource-policy': 'same-origin',
};
