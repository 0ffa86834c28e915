import type { HandlerContext } from '@connectrpc/connect';
import type { Call } from '../../api/call.ts';
import { callerOf } from '../../api/principal.ts';
import { failureOf } from '../../base/errors/errors.ts';
import type { CredentialUsage } from '../../credentials/usage/usage.ts';
import { apiKeyIdOf, type Claims } from './claims.ts';

export type RequestCounts = Pick<CredentialUsage, 'count' | 'countClaimed'>;

/**
 * Makes a method from a function that issues tokens, and counts the outcome of each request. The
 * function passes the ids of the client or the key to `proved` after it has authenticated them.
 */
export function countedBy(usage: RequestCounts) {
  return <Request, Response>(
    issue: (
      request: Request,
      call: Call,
      proved: (ids: readonly string[]) => void,
    ) => Promise<Response>,
  ) =>
    async (request: Request, context: HandlerContext): Promise<Response> => {
      let ids: readonly string[] = [];
      try {
        const response = await issue(request, callerOf(context).call, (proven) => {
          ids = proven;
        });
        usage.count('issued', ids);
        return response;
      } catch (thrown) {
        const { code, extra } = failureOf(thrown);
        if (ids.length > 0) usage.count(code, ids);
        else if (extra.target) usage.countClaimed(code, extra.target);
        throw thrown;
      }
    };
}

/** Returns the ids for which a token counts: the client, the customer and its key, the actor. */
export function idsOfToken(claims: Claims): readonly string[] {
  const { principal_type, sub, client_id, act } = claims;
  const actor = act === undefined ? [] : [client_id];
  if (principal_type === 'service') return [sub, ...actor];
  return principal_type === 'customer' ? [sub, apiKeyIdOf(claims), ...actor] : actor;
}
