// Deleting users, and undoing that within the waiting time.
import type { ServiceImpl } from '@connectrpc/connect';
import type { UserService } from '../../../gen/latchkey/identity/v1/user_pb.js';
import type { SharedAccess } from '../../api/access/access-source.ts';
import { disablingDeletionOf, enablingUndeletionOf } from '../../api/deletion.ts';
import { requireEtag, touched } from '../../api/etag.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { Clock } from '../../base/clock.ts';
import { endSessionsOf } from '../../storage/queries/users.ts';
import { grantChecksFor, type RolesOf } from './grant-checks.ts';
import { lockOwner, requireHoldersLeft } from './last-holders.ts';
import { type UserChange, updateUser } from './store.ts';
import { lockUser, userMessage, userState } from './users.ts';

export type UserDeletionOptions = {
  readonly auditLog: AuditLog;
  readonly rolesOf: RolesOf;
  readonly shared: Pick<SharedAccess, 'lockOwned' | 'requireOwners'>;
  /** How many backups stay in the target of backups; 0 without a target. */
  readonly keptBackups: number;
  readonly now: Clock;
};

type DeletionMethods = Pick<ServiceImpl<typeof UserService>, 'deleteUser' | 'undeleteUser'>;

export function createUserDeletionMethods(options: UserDeletionOptions): DeletionMethods {
  const { auditLog, rolesOf, shared, keptBackups, now } = options;
  return {
    async deleteUser({ userId }, context) {
      const user = await auditLog.change(context, { target: userId }, async (trx) => {
        const { user: before, owned } = await lockOwner(trx, shared, userId);
        requireEtag(context, {}, userState(before));
        await grantChecksFor(context, userId, rolesOf).requireToWeaken(trx, before);
        const time = now();
        const deletion: UserChange = disablingDeletionOf(before, time);
        const change = { ...deletion, ...touched(before, deletion, time) };
        await updateUser(trx, userId, change);
        await endSessionsOf(trx, userId, { time });
        const after = { ...before, ...change };
        await requireHoldersLeft(trx, before, after);
        if (before.disable_time === null) await shared.requireOwners(trx, owned);
        return after;
      });
      return { user: userMessage(user), keptBackups };
    },

    async undeleteUser({ userId }, context) {
      const user = await auditLog.change(context, { target: userId }, async (trx) => {
        const before = await lockUser(trx, userId);
        requireEtag(context, {}, userState(before));
        await grantChecksFor(context, userId, rolesOf).requireToActAs(trx, before);
        const time = now();
        const undeletion: UserChange = enablingUndeletionOf(before, time);
        const change = { ...undeletion, ...touched(before, undeletion, time) };
        await updateUser(trx, userId, change);
        return { ...before, ...change };
      });
      return { user: userMessage(user) };
    },
  };
}
