import type { ServiceImpl } from '@connectrpc/connect';
import type {
  VerificationService,
  VerifyTokenRequest,
} from '../../../gen/latchkey/identity/v1/verification_pb.js';
import { parseScopes, parseStoredScopes } from '../../api/access/scopes.ts';
import { principalId, principalOf } from '../../api/principal.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { invalid } from '../../base/errors/errors.ts';
import type { CredentialUsage } from '../../credentials/usage/usage.ts';
import type { Executor } from '../../storage/schema/schema.ts';
import type { Keyring } from '../keys/keyring.ts';
import { type Claims, claimFields } from './claims.ts';
import { idsOfToken } from './counted-requests.ts';
import type { DpopProofs } from './dpop-proofs.ts';
import type { Revocations } from './revocations.ts';
import { hasKey } from './token-binding.ts';
import type { Verifier } from './verifier.ts';

export type VerificationOptions = {
  readonly keyring: Keyring;
  readonly verifier: Verifier;
  readonly proofs: Pick<DpopProofs, 'verify'>;
  readonly usage: Pick<CredentialUsage, 'count'>;
  readonly revocations: Revocations;
  readonly auditLog: AuditLog;
};

export function createVerificationService(
  options: VerificationOptions,
): ServiceImpl<typeof VerificationService> {
  const { keyring, verifier, proofs, usage, revocations, auditLog } = options;
  return {
    async getJwks() {
      return { keys: [...(await keyring.published())] };
    },

    async verifyToken(request) {
      const asked = request.scope === '' ? [] : parseScopes(request.scope);
      if (asked === undefined) {
        throw invalid(
          'scope',
          'must be a list of `<area>:<read|write>`, separated by single spaces',
        );
      }
      const { token, expectedAudience } = request;
      requireProvenRequest(request);
      const claims =
        expectedAudience === ''
          ? await verifier.verify(token)
          : await verifier.verifyFor(token, ({ identifier }) => identifier === expectedAudience);
      if (claims === undefined || !(await hasKey(proofs, claims, request))) {
        return { active: false, allowed: false, code: 'unauthenticated' };
      }
      usage.count('verified', idsOfToken(claims));
      const allowed = covers(claims, asked, request);
      return {
        active: true,
        allowed,
        code: allowed ? '' : 'forbidden',
        ...claimFields(claims),
        authTime: claims.auth_time ?? 0,
      };
    },

    async revokeToken({ token, tokenId }, context) {
      if ((token === '') === (tokenId === '')) {
        throw invalid(
          'token',
          token === '' ? 'is required without token_id' : 'must not be set together with token_id',
        );
      }
      const claims = tokenId === '' ? await verifier.readSigned(token) : undefined;
      const change = (work: (trx: Executor) => Promise<void>) =>
        auditLog.change(context, { target: claims?.sub ?? tokenId }, work);
      if (tokenId !== '')
        await revocations.revokeId(tokenId, principalId(principalOf(context)), change);
      // An invalid token changes nothing, but the request is still in the audit log.
      else if (claims === undefined) await change(async () => {});
      else await revocations.revoke(claims.jti, claims.exp, change);
      return {};
    },
  };
}

function requireProvenRequest({ dpopProof, httpMethod, httpUrl }: VerifyTokenRequest): void {
  if (dpopProof === '') return;
  if (httpMethod === '') throw invalid('http_method', 'is required with dpop_proof');
  if (!URL.canParse(httpUrl)) throw invalid('http_url', 'must be a URL with dpop_proof');
}

function covers(claims: Claims, asked: readonly string[], request: VerifyTokenRequest): boolean {
  const scopes = parseStoredScopes(claims.scope);
  if (!asked.every((scope) => scopes.has(scope))) return false;
  if (request.accountId === '' || claims.principal_type !== 'customer') return true;
  return claims.accounts?.includes(request.accountId) ?? false;
}
