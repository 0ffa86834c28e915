import type { ServiceImpl } from '@connectrpc/connect';
import type { OAuthService } from '../../../gen/latchkey/identity/v1/oauth_pb.js';
import { callerOf } from '../../api/principal.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { fail } from '../../base/errors/errors.ts';
import type { CredentialUsage } from '../../credentials/usage/usage.ts';
import type { Executor } from '../../storage/schema/schema.ts';
import { claimFields, tokenTypeOf } from './claims.ts';
import type { AuthenticateClient } from './client-authentication.ts';
import { idsOfToken } from './counted-requests.ts';
import type { Revocations } from './revocations.ts';
import type { Verifier } from './verifier.ts';

export type OAuthOptions = {
  readonly authenticateClient: AuthenticateClient;
  readonly verifier: Verifier;
  readonly usage: Pick<CredentialUsage, 'count'>;
  readonly revocations: Revocations;
  readonly auditLog: AuditLog;
};

export function createOAuthService(options: OAuthOptions): ServiceImpl<typeof OAuthService> {
  const { authenticateClient, verifier, usage, revocations, auditLog } = options;
  return {
    async introspect(request, context) {
      const client = await authenticateClient(request, callerOf(context).call);
      const seesAll = client.scopes.has('tokens:read');
      const claims = await verifier.verifyFor(
        request.token,
        (audience) => seesAll || audience.isGrantedTo(client.tokenSettings.audienceIds),
      );
      if (claims === undefined) return { active: false };
      usage.count('verified', idsOfToken(claims));
      return {
        active: true,
        ...claimFields(claims),
        tokenType: tokenTypeOf(claims.cnf),
        ...(claims.auth_time === undefined ? {} : { authTime: claims.auth_time }),
      };
    },

    async revoke(request, context) {
      const { clientId, scopes } = await authenticateClient(request, callerOf(context).call);
      const claims = await verifier.readSigned(request.token);
      const target = claims?.sub ?? '';
      if (claims !== undefined && claims.client_id !== clientId && !scopes.has('tokens:write')) {
        throw fail('forbidden', 'The token was issued to another caller.', { target });
      }
      const actor = { type: 'service', id: clientId } as const;
      const change = (work: (trx: Executor) => Promise<void>) =>
        auditLog.change(context, { target, actor }, work);
      // An invalid token changes nothing, but the request is still in the audit log.
      if (claims === undefined) await change(async () => {});
      else await revocations.revoke(claims.jti, claims.exp, change);
      return {};
    },
  };
}
