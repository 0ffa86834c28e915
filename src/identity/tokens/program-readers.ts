// Programs that read a shared document for a user: they send a token of a token exchange (RFC 8693)
// to a route. The token stops working with its parents, the session of the user and the client.
import {
  authenticateBearer,
  type BearerAuthentication,
  type TokenCarrier,
} from '../../api/authentication.ts';
import { actingClientOf, isUser } from '../../api/principal.ts';
import type { AuthenticateProgram } from '../../api/routes/program-reader.ts';
import type { RouteRequest } from '../../api/routes/route.ts';
import type { Clock } from '../../base/clock.ts';
import { bearerChallenge } from '../../base/errors/challenge.ts';
import { fail } from '../../base/errors/errors.ts';
import type { Database } from '../../storage/schema/schema.ts';
import { findReaderNames } from './store.ts';

export type ProgramReaderOptions = BearerAuthentication & {
  readonly db: Database;
  readonly now: Clock;
};

const scope = 'documents:read';

export function createProgramReaders(options: ProgramReaderOptions): AuthenticateProgram {
  const { db, now } = options;
  /** A request is checked again while its response is sent. Its token may expire before the end. */
  const presented = new WeakMap<RouteRequest, { carrier: TokenCarrier; validAt: number }>();

  function present(request: RouteRequest) {
    const { header, clientCertificate, url, isHead, domain } = request;
    const context = { requestMethod: isHead ? 'HEAD' : 'GET', url };
    const carrier = { header, clientCertificate, context, origin: domain?.origin };
    const first = { carrier, validAt: now() };
    presented.set(request, first);
    return first;
  }

  return async (request) => {
    const { carrier, validAt } = presented.get(request) ?? present(request);
    // No API key is accepted.
    const principal = await authenticateBearer(options, carrier, new Set(), validAt);
    const clientId = actingClientOf(principal);
    if (!isUser(principal) || clientId === '') {
      throw fail('forbidden', 'Programs need a token of a token exchange for a user.');
    }
    if (!principal.scopes.has(scope)) {
      const challenge = bearerChallenge('insufficient_scope', { scope });
      throw fail('forbidden', `The scope ${scope} is required.`, { challenge });
    }
    const { userId } = principal;
    return { userId, clientId, ...(await findReaderNames(db, { userId, clientId })) };
  };
}
