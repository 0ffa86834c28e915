// Deleting and disabling clients, and undoing that.
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import type { ClientService } from '../../../gen/latchkey/identity/v1/client_pb.js';
import {
  disabling,
  disablingDeletionOf,
  enablingUndeletionOf,
  storeStateChange,
} from '../../api/deletion.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { Clock } from '../../base/clock.ts';
import type { ClientRow } from '../../storage/schema/schema.ts';
import { lockToChange, lockToEnd } from './clients.ts';
import { clientMessage } from './fields.ts';
import { type ClientChange, updateClient } from './store.ts';

export type ClientStateOptions = {
  readonly auditLog: AuditLog;
  /** How many backups stay in the target of backups; 0 without a target. */
  readonly keptBackups: number;
  readonly now: Clock;
};

type StateMethods = Pick<
  ServiceImpl<typeof ClientService>,
  'deleteClient' | 'undeleteClient' | 'disableClient' | 'enableClient'
>;

export function createClientStateMethods(options: ClientStateOptions): StateMethods {
  const { auditLog, keptBackups, now } = options;

  async function apply(
    context: HandlerContext,
    id: string,
    changeOf: (row: ClientRow, time: number) => ClientChange,
    lock = lockToEnd,
  ) {
    const row = await auditLog.change(context, { target: id }, async (trx) => {
      const before = await lock(trx, context, id);
      const step = { before, changeOf, time: now() };
      return storeStateChange(context, step, (changed) => updateClient(trx, id, changed));
    });
    return { client: clientMessage(row) };
  }

  return {
    deleteClient: async ({ clientId }, context) => ({
      ...(await apply(context, clientId, disablingDeletionOf)),
      keptBackups,
    }),
    undeleteClient: ({ clientId }, context) => apply(context, clientId, enablingUndeletionOf),
    disableClient: ({ clientId }, context) =>
      apply(context, clientId, disabling(true), lockToChange),
    enableClient: ({ clientId }, context) =>
      apply(context, clientId, disabling(false), lockToChange),
  };
}
