// The accounts of providers that are linked to a user.
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import type { IdentityProviderService } from '../../../gen/latchkey/identity/v1/provider_pb.js';
import type { AuditLog } from '../../audit/audit-log.ts';
import { fail, requireFound } from '../../base/errors/errors.ts';
import { findUserRow } from '../../storage/queries/users.ts';
import type { Database, Executor } from '../../storage/schema/schema.ts';
import type { RequireGrants } from '../users/grant-checks.ts';
import { deleteIdentity, findIdentities } from './store.ts';

export type IdentityMethodOptions = {
  readonly db: Database;
  readonly auditLog: AuditLog;
  readonly requireToActAs: RequireGrants;
  /** Ends the sessions that were started with a provider. */
  readonly endSessions: (
    trx: Executor,
    sessions: { readonly providerId: string; readonly userId?: string },
  ) => Promise<unknown>;
};

type IdentityMethods = Pick<
  ServiceImpl<typeof IdentityProviderService>,
  'listUserIdentities' | 'deleteUserIdentity'
>;

export function createIdentityMethods(options: IdentityMethodOptions): IdentityMethods {
  const { db, auditLog, requireToActAs, endSessions } = options;
  return {
    async listUserIdentities({ userId }) {
      requireFound(await findUserRow(db, userId), 'user');
      const identities = (await findIdentities(db, userId)).map((row) => ({
        id: row.id,
        providerId: row.provider_id,
        providerName: row.provider_name,
        subject: row.subject,
        managesGrants: row.manages_grants === 1,
        createTime: timestampFromMs(row.create_time),
      }));
      return { identities };
    },

    async deleteUserIdentity({ userId, identityId }, context) {
      await auditLog.change(context, { target: identityId }, async (trx) => {
        await requireToActAs(trx, context, userId);
        const deleted = await deleteIdentity(trx, userId, identityId);
        if (deleted === undefined) throw fail('not_found', 'The user has no such account.');
        await endSessions(trx, { providerId: deleted.provider_id, userId });
      });
      return {};
    },
  };
}
