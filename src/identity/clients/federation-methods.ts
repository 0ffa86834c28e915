// The methods that manage the federated identities of clients.
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import type { ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import { principalId, principalOf } from '../../api/principal.ts';
import { nameCreators } from '../../audit/names/creators.ts';
import { newId } from '../../base/crypto/ids.ts';
import { fail, invalid } from '../../base/errors/errors.ts';
import { checkPattern, checkSubjectPattern } from '../../credentials/claim-patterns.ts';
import { parseListRequest } from '../../storage/queries/list-request.ts';
import type { FederatedIdentityRow } from '../../storage/schema/schema.ts';
import type { LockTrustedIssuer } from '../trusted-issuers/store.ts';
import { lockToChange, lockToEnd } from './clients.ts';
import type { ClientKeyOptions } from './key-methods.ts';
import {
  deleteFederatedIdentity,
  federatedIdentityList,
  findFederatedIdentities,
  findIdentitiesOfClient,
  insertFederatedIdentity,
} from './store.ts';

const identitiesMax = 20;

export type FederationOptions = Omit<ClientKeyOptions, 'checkJwk'> & {
  readonly lockTrustedIssuer: LockTrustedIssuer;
};

export type FederationMethods = Pick<
  ServiceImpl<typeof ClientService>,
  'createFederatedIdentity' | 'listFederatedIdentities' | 'deleteFederatedIdentity'
>;

export function createFederationMethods(options: FederationOptions): FederationMethods {
  const { db, auditLog, requireClient, lockTrustedIssuer, random, now } = options;
  return {
    async createFederatedIdentity({ clientId, issuerId, subject, claims }, context) {
      checkSubjectPattern('subject', subject);
      const row: FederatedIdentityRow = {
        id: newId('fed', random),
        client_id: clientId,
        issuer_id: issuerId,
        subject,
        claims: storedPatterns(claims),
        create_time: now(),
        last_used_time: null,
        creator_id: principalId(principalOf(context)),
      };
      return auditLog.create(context, { target: row.id }, async (trx) => {
        await lockToChange(trx, context, clientId);
        if (!(await lockTrustedIssuer(trx, issuerId))) {
          throw invalid('issuer_id', 'does not exist');
        }
        const others = await findIdentitiesOfClient(trx, clientId);
        if (others.length >= identitiesMax) {
          throw fail('conflict', `The client already has ${identitiesMax} federated identities.`);
        }
        if (others.some((other) => isSame(other, row))) {
          throw fail('conflict', 'The client already has this federated identity.');
        }
        await insertFederatedIdentity(trx, row);
        return { federatedIdentity: message(row) };
      });
    },

    async listFederatedIdentities(request, context) {
      await requireClient(request.clientId);
      const query = parseListRequest(request, federatedIdentityList.sorts, context.signal);
      const { rows, ...page } = await findFederatedIdentities(db, request.clientId, query);
      const federatedIdentities = await nameCreators(db, context, rows.map(message));
      return { federatedIdentities, ...page };
    },

    async deleteFederatedIdentity({ clientId, identityId }, context) {
      await auditLog.change(context, { target: identityId }, async (trx) => {
        await lockToEnd(trx, context, clientId);
        if (await deleteFederatedIdentity(trx, clientId, identityId)) return;
        throw fail('not_found', 'The client has no such federated identity.');
      });
      return {};
    },
  };
}

/** The claims that every assertion is checked for, or that `subject` is for. */
const checkedClaims: ReadonlySet<string> = new Set([
  ...['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', '__proto__'],
]);

/** In the order of their names, so that equal patterns are equal texts. */
function storedPatterns(claims: Readonly<Record<string, string>>): string {
  const entries = Object.entries(claims).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [name, pattern] of entries) {
    const field = `claims.${name}`;
    if (checkedClaims.has(name)) throw invalid(field, 'must not be a claim that is always checked');
    checkPattern(field, pattern);
  }
  return JSON.stringify(Object.fromEntries(entries));
}

function isSame(a: FederatedIdentityRow, b: FederatedIdentityRow): boolean {
  return a.issuer_id === b.issuer_id && a.subject === b.subject && a.claims === b.claims;
}

const message = (row: FederatedIdentityRow) => ({
  id: row.id,
  clientId: row.client_id,
  issuerId: row.issuer_id,
  subject: row.subject,
  claims: JSON.parse(row.claims) as Record<string, string>,
  createTime: timestampFromMs(row.create_time),
  ...(row.last_used_time === null ? {} : { lastUsedTime: timestampFromMs(row.last_used_time) }),
  creator: row.creator_id ?? '',
});
