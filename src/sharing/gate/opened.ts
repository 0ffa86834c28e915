// What a request's pass has opened: for every route behind the gate but the page, which asks.

import { fail } from '../../errors/errors.ts';
import type { RouteRequest } from '../../http/route.ts';
import type { SharedDocument } from '../links/links.ts';
import type { AccessSession } from './access-session.ts';
import type { GateCookies } from './cookies.ts';
import type { Decision, Gate } from './gate.ts';

export type Opened = {
  readonly shared: SharedDocument;
  readonly pass: AccessSession;
};

type Doorkeeper = { readonly gate: Gate; readonly cookies: GateCookies };

/** Asks the gate about a request to a path with `{slug}`. */
export function decideOn({ gate, cookies }: Doorkeeper, request: RouteRequest): Promise<Decision> {
  return gate.authorise(request.variables.slug ?? '', cookies.passOf(request));
}

/** The document behind an open gate; throws for everybody else. */
export async function requireOpen(door: Doorkeeper, request: RouteRequest): Promise<Opened> {
  const decision = await decideOn(door, request);
  switch (decision.kind) {
    case 'open':
      return decision;
    case 'ask':
      throw fail('forbidden', "The link's gate has not been passed.");
    case 'gone':
      throw fail('gone', 'The link has expired or was revoked.');
    case 'unknown':
      throw fail('not_found', 'There is no such link.');
  }
}
