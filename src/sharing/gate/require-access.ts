// The access that a request has to a shared document. Every route of a link requires it, except the
// HTML, which shows the gate instead.

import type { RouteRequest } from '../../api/routes/route.ts';
import { fail } from '../../base/errors/errors.ts';
import type { SharedDocument } from '../links/links.ts';
import type { AccessSession } from './access-session.ts';
import type { GateCookies } from './cookies.ts';
import type { AccessDecision, Gate } from './gate.ts';

export type GrantedAccess = {
  readonly shared: SharedDocument;
  readonly accessSession: AccessSession;
};

type Options = { readonly gate: Gate; readonly cookies: GateCookies };

export function checkAccess(
  { gate, cookies }: Options,
  request: RouteRequest,
): Promise<AccessDecision> {
  return gate.authorise(request.variables.slug ?? '', cookies.readAccess(request));
}

/** Throws `forbidden`, `gone` or `not_found` for a request without access. */
export async function requireAccess(
  options: Options,
  request: RouteRequest,
): Promise<GrantedAccess> {
  const decision = await checkAccess(options, request);
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
